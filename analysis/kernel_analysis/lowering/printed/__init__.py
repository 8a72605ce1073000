"""From what Triton prints to our own IR. Text in, plain data out."""
