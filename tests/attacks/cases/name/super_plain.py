# refused: super
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = super().__init__()  # refused
    tl.store(p, 1.0)
