# refused: the locals of the compiler
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = locals()["self"]  # refused
    tl.store(p, 1.0)
