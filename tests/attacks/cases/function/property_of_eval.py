# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = property(eval).fget("1")
    tl.store(p, 1.0)
