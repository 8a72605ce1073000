# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import copy


@triton.jit
def k(p):
    copy._reconstruct(1, None, eval, ("open('CANARY', 'w')",))  # refused
    tl.store(p, 1.0)
