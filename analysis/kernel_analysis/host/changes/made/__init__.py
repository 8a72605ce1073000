"""What a file makes itself, so that nobody else has it, and what a loop goes through."""
