"""Random kernels: what is claimed of them is held against what they do."""
