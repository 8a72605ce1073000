# refused: the same
import triton
import triton.language as tl


@triton.jit
def k(p):
    quit(0)  # refused
    tl.store(p, 1.0)
