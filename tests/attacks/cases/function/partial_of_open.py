# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import functools
P = functools.partial(open, 'CANARY', 'w')


@triton.jit
def k(p):
    P()
    tl.store(p, 1.0)
