# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import math


@triton.jit
def k(p):
    math.__loader__.load_module("os").system("touch CANARY")  # refused
    tl.store(p, 1.0)
