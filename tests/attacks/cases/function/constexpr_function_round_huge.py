# refused: rounding to a billion digits before the point computes a number of a billion digits
import triton
import triton.language as tl


@triton.constexpr_function
def c():
    return round(1, -(10**9))


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
