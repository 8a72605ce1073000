"""Analysis of Triton kernels: Python text in, facts about what the kernels read and write out.

Runs in the user's Python. Knows Triton, never LSP. Importing this package imports the
standard library only; ``kernel_analysis.lowering`` alone imports triton, ``kernel_analysis.launch`` alone torch.
"""

__version__ = "0.1.0"
