# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.semantic.builtins.open("CANARY", "w")  # refused
    tl.store(p, 1.0)
