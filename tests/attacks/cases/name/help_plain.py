# refused: an object that is no function starts a pager
import triton
import triton.language as tl


@triton.jit
def k(p):
    help("os")  # refused
    tl.store(p, 1.0)
