# any: a stub
import triton
import triton.language as tl
from attack_module import X


@triton.jit
def k(p):
    tl.store(p, X)
# ---- attack_module.pyi
open('CANARY', 'w')
X: int
