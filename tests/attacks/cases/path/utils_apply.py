# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.runtime.build import os
o = os.system


@triton.jit
def k(p):
    triton._utils.apply_with_path(("touch CANARY",), o)  # refused
    tl.store(p, 1.0)
