"""The texts of a project's files, and the index of what they say."""
