# refused: what a type's type can do
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = type(tl.float32).mro()  # refused
    tl.store(p, 1.0)
