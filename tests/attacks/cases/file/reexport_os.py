# refused: a module that another file hands on
import triton
import triton.language as tl
from attack_module import os


@triton.jit
def k(p):
    os.system("touch CANARY")  # refused
    tl.store(p, 1.0)
# ---- attack_module.py
from triton.runtime.build import os
