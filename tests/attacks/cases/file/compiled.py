# any: bytecode beside it is not run
import triton
import triton.language as tl
from attack_module import X


@triton.jit
def k(p):
    tl.store(p, X)
# ---- __pycache__/attack_module.cpython-311.pyc
open('CANARY', 'w')
# ---- attack_module.so
x
