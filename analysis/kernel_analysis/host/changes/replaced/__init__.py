"""What a workspace puts in the place of something of Triton's, of Python's or of another library's."""
