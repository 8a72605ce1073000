# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.language.core import Enum as E


@triton.jit
def k(p):
    E("X", "__init__")  # refused
    tl.store(p, 1.0)
