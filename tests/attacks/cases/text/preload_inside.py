# refused: a helper is loaded from a text
import triton
import triton.language as tl
@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    helper.preload('{"name": "helper"}')  # refused
    tl.store(p, 1.0)
