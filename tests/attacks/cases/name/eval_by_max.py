# refused: the key of max
import triton
import triton.language as tl
from builtins import eval as E


@triton.constexpr_function
def c(f):
    return max("__import__('os').system('touch CANARY')", "1", key=f)


@triton.jit
def k(p):
    x: tl.constexpr = c(E)
    tl.store(p, 1.0)
