# analyzed root: a module named os lies where Python would look first
import triton
import triton.language as tl
import os


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- os.py
open('CANARY', 'w').close()
