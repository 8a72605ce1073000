"""What types and constexpr values to compile a jit function with, and the evidence for each.

Reads slices and modules; never the compiler.
"""
