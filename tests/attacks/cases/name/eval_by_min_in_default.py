# any: a helper's default
import triton
import triton.language as tl
from builtins import eval as E


@triton.jit
def helper(x=min("__import__('os').system('touch CANARY')", "1", key=E)):
    return x


@triton.jit
def k(p):
    helper()
    tl.store(p, 1.0)
