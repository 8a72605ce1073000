# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import sys


@triton.jit
def k(p):
    sys.modules["os"].system("touch CANARY")  # refused
    tl.store(p, 1.0)
