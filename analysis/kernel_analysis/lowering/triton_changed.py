"""What is raised where the installed Triton is another than this package was written for. It imports nothing: whoever
catches it may stand where there is no Triton."""


class TritonChanged(Exception):
    """The installed Triton is not what this package was written for; the message says what changed."""
