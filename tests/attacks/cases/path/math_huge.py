# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import math


@triton.jit
def k(p):
    x: tl.constexpr = math.factorial(10**7)
    tl.store(p, 1.0)
