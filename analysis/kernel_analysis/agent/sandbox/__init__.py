"""What the agent gives up before it looks at a kernel: Python's audit hook, and the operating system's own seccomp and
Landlock (docs/security.md).

Each stands by itself, and below the compiler's own gate. Nothing here may be undone from inside, and nothing here
knows what a kernel is. Standard library only.
"""
