# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.__path__[0]  # refused
    tl.store(p, 1.0)
