# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import math


@triton.jit
def k(p):
    x: tl.constexpr = math.comb(10**6, 5 * 10**5)
    tl.store(p, 1.0)
