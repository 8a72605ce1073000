"""What a second run, or another program, makes of the same memory."""
