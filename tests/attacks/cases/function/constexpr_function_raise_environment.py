# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from triton.runtime.build import os as o


@triton.constexpr_function
def c(e):
    assert False, e['SECRET_NAME']


@triton.jit
def k(p):
    x: tl.constexpr = c(o.environ)
    tl.store(p, 1.0)
