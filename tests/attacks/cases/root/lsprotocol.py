# analyzed root: a module named lsprotocol lies where Python would look first
import triton
import triton.language as tl
import lsprotocol


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- lsprotocol.py
open('CANARY', 'w').close()
