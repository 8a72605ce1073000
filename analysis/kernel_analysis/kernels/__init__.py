"""From modules to kernels: find them and their launches, cut the slice.

Reads files and syntax; evaluates through ``host``, never by running anything.
"""
