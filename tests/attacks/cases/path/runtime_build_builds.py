# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.runtime.build._build("x", "VICTIM_FILE", "FOLDER", [], [], [], [])  # refused
    tl.store(p, 1.0)
