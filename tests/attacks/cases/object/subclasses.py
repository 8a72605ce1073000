# refused: all classes there are
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = object.__subclasses__()  # refused
    tl.store(p, 1.0)
