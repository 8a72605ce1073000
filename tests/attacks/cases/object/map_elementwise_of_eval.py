# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.map_elementwise(eval, tl.arange(0, 16))  # refused
    tl.store(p, 1.0)
