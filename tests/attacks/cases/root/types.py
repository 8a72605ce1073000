# analyzed root: a module named types lies where Python would look first
import triton
import triton.language as tl
import types


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- types.py
open('CANARY', 'w').close()
