# any: a folder named triton beside it
import triton
import triton.language as tl
from triton.language.attack import helper


@triton.jit
def k(p):
    helper(p)
    tl.store(p, 1.0)
# ---- triton/__init__.py
open('CANARY', 'w')
# ---- triton/language/__init__.py
open('CANARY', 'w')
# ---- triton/language/attack.py
open('CANARY', 'w')


def helper(p):
    open('CANARY', 'w')
