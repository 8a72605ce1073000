"""The ways of a parameter through a text to an access, each with the compiles that went it."""
