"""What a text may do with a name, as far as it is told without a tree, and code that stands in strings."""
