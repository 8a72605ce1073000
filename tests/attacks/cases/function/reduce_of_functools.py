# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import functools


@triton.jit
def k(p):
    x = functools.reduce(eval, ("open('CANARY', 'w')", {}))
    tl.store(p, 1.0)
