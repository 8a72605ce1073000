"""For what a kernel is compiled again."""
