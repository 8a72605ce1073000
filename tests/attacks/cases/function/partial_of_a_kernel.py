# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import functools


@triton.jit
def helper(x):
    return x


P = functools.partial(helper, 1)


@triton.jit
def k(p):
    P.func.fn("1")
    tl.store(p, 1.0)
