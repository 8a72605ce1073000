"""What a function does to memory, from its IR."""
