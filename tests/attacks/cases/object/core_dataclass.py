# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.language.core import dataclass as d


@triton.jit
def k(p):
    d(tl.dtype)  # refused
    tl.store(p, 1.0)
