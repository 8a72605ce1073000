# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    x = helper.__class__.__bases__  # refused
    tl.store(p, 1.0)
