"""The cases are text: pytest is to leave them alone."""

collect_ignore = ["cases"]
