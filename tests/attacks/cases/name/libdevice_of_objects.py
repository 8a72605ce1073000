# refused: a library function of what is no block
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.extra.libdevice.sin(eval)  # refused
    tl.store(p, 1.0)
