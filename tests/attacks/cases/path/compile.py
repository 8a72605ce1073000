# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    triton.compile(helper)  # refused
    tl.store(p, 1.0)
