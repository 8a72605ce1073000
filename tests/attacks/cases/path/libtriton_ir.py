# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton._C.libtriton import ir


@triton.jit
def k(p):
    ir.parse_mlir_module("VICTIM_FILE", None)  # refused
    tl.store(p, 1.0)
