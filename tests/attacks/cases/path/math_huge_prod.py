# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import math


@triton.jit
def k(p):
    x: tl.constexpr = math.prod([10**3000] * 60000)
    tl.store(p, 1.0)
