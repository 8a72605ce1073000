# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from triton.runtime.build import os as o
E = triton.constexpr_function(o.system)


@triton.jit
def k(p):
    x: tl.constexpr = E("touch CANARY")
    tl.store(p, 1.0)
