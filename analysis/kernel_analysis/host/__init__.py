"""The Python around kernels, read and never run: what the text does to values, and what functions of libraries do.

Below ``signature`` and ``launch``; knows Triton's names, and nothing of kernels.
"""
