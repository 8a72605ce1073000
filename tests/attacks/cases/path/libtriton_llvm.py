# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton._C.libtriton.llvm.parse_mlir_module("VICTIM_FILE", None)  # refused
    tl.store(p, 1.0)
