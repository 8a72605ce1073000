"""From Python text to kernels: find them, resolve names across files, cut the slice.

Standard library ``ast`` only. Never imports or runs what it reads.
"""
