"""What is kept while somebody edits the body of a kernel."""
