# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.language.core import warn as w


@triton.jit
def k(p):
    w(tl)  # refused
    tl.store(p, 1.0)
