# analyzed root: a module named attrs lies where Python would look first
import triton
import triton.language as tl
import attrs


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- attrs.py
open('CANARY', 'w').close()
