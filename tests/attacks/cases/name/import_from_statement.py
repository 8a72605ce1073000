# refused: an import in the body
import triton
import triton.language as tl


@triton.jit
def k(p):
    from os import system  # refused
    system("touch CANARY")
    tl.store(p, 1.0)
