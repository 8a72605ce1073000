# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.tools import mxfp as mx


@triton.jit
def k(p):
    mx.torch.load("VICTIM_FILE")  # refused
    tl.store(p, 1.0)
