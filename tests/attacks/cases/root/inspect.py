# analyzed root: a module named inspect lies where Python would look first
import triton
import triton.language as tl
import inspect


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- inspect.py
open('CANARY', 'w').close()
