# analyzed root: a module named setup lies where Python would look first
import triton
import triton.language as tl
import setup


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- setup.py
open('CANARY', 'w').close()
