# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.tensor.__init__  # refused
    tl.store(p, 1.0)
