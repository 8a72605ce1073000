# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.runtime.jit import inspect as i


@triton.jit
def k(p):
    i.getsource(tl.load)  # refused
    tl.store(p, 1.0)
