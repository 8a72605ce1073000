# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from triton.runtime.build import os as o


@triton.constexpr_function
def c():
    return o.environ['SECRET_NAME']


@triton.jit
def k(p):
    tl.static_assert(False, c())
    tl.store(p, 1.0)
