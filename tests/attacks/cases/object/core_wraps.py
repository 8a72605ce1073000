# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.language.core import wraps as w


@triton.jit
def k(p):
    w(eval)(eval)("1")  # refused
    tl.store(p, 1.0)
