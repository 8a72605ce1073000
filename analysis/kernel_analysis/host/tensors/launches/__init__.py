"""A launch as Triton sees it."""
