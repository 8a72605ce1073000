"""What comments above a kernel say of it."""
