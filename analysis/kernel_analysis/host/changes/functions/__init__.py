"""What sets the parts of a function, and what a jit function is made of."""
