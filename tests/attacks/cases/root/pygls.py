# analyzed root: a module named pygls lies where Python would look first
import triton
import triton.language as tl
import pygls


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- pygls.py
open('CANARY', 'w').close()
