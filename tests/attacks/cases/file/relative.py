# any: a relative import
import triton
import triton.language as tl
from .attack_module import X


@triton.jit
def k(p):
    tl.store(p, X)
# ---- __init__.py
open('CANARY', 'w')
# ---- attack_module.py
open('CANARY', 'w')
X = 3
