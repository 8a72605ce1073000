# refused: an object that is no function reads files
import triton
import triton.language as tl


@triton.jit
def k(p):
    license()  # refused
    tl.store(p, 1.0)
