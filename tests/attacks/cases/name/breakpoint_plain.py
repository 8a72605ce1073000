# refused: a debugger would stop it
import triton
import triton.language as tl


@triton.jit
def k(p):
    breakpoint()  # refused
    tl.store(p, 1.0)
