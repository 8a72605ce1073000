"""What library functions do with tensors, where the host's tensors come from, and what takes them. Tables and text;
never torch itself."""
