"""Truth by execution on a real GPU: what the corpus's kernels write, against what is claimed. Not in ``make test``."""
