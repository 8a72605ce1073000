# analyzed root: a module named triton lies where Python would look first
import triton
import triton.language as tl
import triton


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- triton.py
open('CANARY', 'w').close()
