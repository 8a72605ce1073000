# any: what stands at the top of the file
import triton
import triton.language as tl
from attack_module import *


@triton.jit
def k(p):
    tl.store(p, X)
# ---- attack_module.py
open('CANARY', 'w')
X = 1
__all__ = [open('CANARY', 'w')]
