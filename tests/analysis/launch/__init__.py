"""Running kernels, for real: on Triton's interpreter, where the tests' Python has torch."""
