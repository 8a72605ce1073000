# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from triton.runtime.build import os as o


@triton.constexpr_function
def c():
    return o.environ['SECRET_NAME'] + 1


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
