"""The one interpreter of the Python around kernels: values, names across files, what decorators make, what the text
changes, what functions of libraries do.

Read and never run. Below ``kernels``, ``signature`` and ``launch``; whatever asks "what is this there" asks here.
"""
