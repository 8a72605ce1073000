# refused: Triton loses something
import triton
import triton.language as tl


@triton.jit
def k(p):
    delattr(tl, "store")  # refused
    tl.store(p, 1.0)
