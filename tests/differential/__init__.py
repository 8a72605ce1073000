"""The corpus's kernels, as PyTorch's own analysis sees them."""
