"""What the body of a kernel says of its parameters: its operations followed without the compiler."""
