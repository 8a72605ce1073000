# refused: a dict makes what is missing
import triton
import triton.language as tl
from collections import defaultdict
D = defaultdict


@triton.constexpr_function
def c(d):
    return d(open('CANARY', 'w'))[1]


@triton.jit
def k(p):
    x: tl.constexpr = c(D)
    tl.store(p, 1.0)
