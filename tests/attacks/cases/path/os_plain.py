# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import os


@triton.jit
def k(p):
    os.system("touch CANARY")  # refused
    tl.store(p, 1.0)
