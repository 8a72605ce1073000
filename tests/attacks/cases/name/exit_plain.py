# refused: an object that is no function ends the process
import triton
import triton.language as tl


@triton.jit
def k(p):
    exit()  # refused
    tl.store(p, 1.0)
