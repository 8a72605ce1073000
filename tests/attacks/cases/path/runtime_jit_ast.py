# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
from triton.runtime.jit import ast as a


@triton.jit
def k(p):
    a.sys.modules["os"].system("touch CANARY")  # refused
    tl.store(p, 1.0)
