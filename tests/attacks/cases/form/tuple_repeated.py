# refused: a tuple of a billion items
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = (1, 2) * 300_000_000  # refused
    tl.store(p, 1.0)
