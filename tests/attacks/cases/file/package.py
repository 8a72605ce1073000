# any: a package's init
import triton
import triton.language as tl
from attack_package.deep import X


@triton.jit
def k(p):
    tl.store(p, X)
# ---- attack_package/__init__.py
open('CANARY', 'w')
# ---- attack_package/deep/__init__.py
open('CANARY', 'w')
X = 3
