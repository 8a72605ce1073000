# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.tools.disasm import extract


@triton.jit
def k(p):
    extract("VICTIM_FILE", "x")  # refused
    tl.store(p, 1.0)
