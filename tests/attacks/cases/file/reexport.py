# refused: a builtin that another file hands on
import triton
import triton.language as tl
from attack_module import E


@triton.jit
def k(p):
    E("open('CANARY', 'w')")  # refused
    tl.store(p, 1.0)
# ---- attack_module.py
from attack_other import *
# ---- attack_other.py
from builtins import eval as E
from triton.runtime.build import os
