# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl
import functools
P = functools.partial(open, "CANARY", "w")


@triton.jit
def k(p):
    with P():  # refused
        pass
    tl.store(p, 1.0)
