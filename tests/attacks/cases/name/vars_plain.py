# refused: the dict of a module
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = vars(tl)["core"]  # refused
    tl.store(p, 1.0)
