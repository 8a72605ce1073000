# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.backends.nvidia import compiler as x


@triton.jit
def k(p):
    x.get_ptxas(90)  # refused
    tl.store(p, 1.0)
