# refused: an import in the body
import triton
import triton.language as tl


@triton.jit
def k(p):
    import os  # refused
    os.system("touch CANARY")
    tl.store(p, 1.0)
