"""Python text as plain data: modules, scopes, statements, and what jit functions and slices are.

Standard library ``ast`` only. Evaluates nothing, resolves nothing, and never imports or runs what it reads.
"""
