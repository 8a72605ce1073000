# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.compiler import IRSource


@triton.jit
def k(p):
    IRSource("VICTIM_FILE", None, None)  # refused
    tl.store(p, 1.0)
