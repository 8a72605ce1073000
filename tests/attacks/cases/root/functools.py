# analyzed root: a module named functools lies where Python would look first
import triton
import triton.language as tl
import functools


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- functools.py
open('CANARY', 'w').close()
