"""What decorators make of functions and classes: Triton's own, a project's around them, aggregates, autotune configs.
Syntax and safe evaluation only."""
