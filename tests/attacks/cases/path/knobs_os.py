# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.knobs import os as o


@triton.jit
def k(p):
    o.system("touch CANARY")  # refused
    tl.store(p, 1.0)
