# any: a constant of another file
import triton
import triton.language as tl
from attack_module import X


@triton.jit
def k(p):
    tl.store(p, X)
# ---- attack_module.py
import triton.language as tl
open('CANARY', 'w')
X = tl.constexpr(3)
