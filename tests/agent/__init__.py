"""The agent as a process, with the real compiler."""
