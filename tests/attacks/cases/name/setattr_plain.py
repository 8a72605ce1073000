# refused: Triton is changed
import triton
import triton.language as tl


@triton.jit
def k(p):
    setattr(tl, "store", 1)  # refused
    tl.store(p, 1.0)
