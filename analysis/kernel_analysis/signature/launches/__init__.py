"""What the launches in sight pass: the host's tensors, numbers and options as a signature needs them. Runs nothing."""
