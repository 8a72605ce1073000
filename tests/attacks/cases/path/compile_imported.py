# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.compiler import compile as triton_compile


@triton.jit
def k(p):
    triton_compile("VICTIM_FILE")  # refused
    tl.store(p, 1.0)
