# refused: a helper of another file does it
import triton
import triton.language as tl
from attack_module import helper


@triton.jit
def k(p):
    helper(p)
    tl.store(p, 1.0)
# ---- attack_module.py
import triton
import triton.language as tl

open('CANARY', 'w')


@triton.jit
def helper(p):
    tl.core.builtins.open('CANARY', 'w')  # refused
    return p
