# refused: iter calls what it is given
import triton
import triton.language as tl
import functools
E = functools.partial(eval, "__import__('os').system('touch CANARY')")


@triton.jit
def k(p):
    x = next(iter(E, 0))  # refused
    tl.store(p, 1.0)
