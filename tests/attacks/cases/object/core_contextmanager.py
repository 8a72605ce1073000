# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.language.core import contextmanager as c


@triton.jit
def k(p):
    with c(eval)("1"):  # refused
        pass
    tl.store(p, 1.0)
