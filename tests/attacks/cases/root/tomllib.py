# analyzed root: a module named tomllib lies where Python would look first
import triton
import triton.language as tl
import tomllib


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- tomllib.py
open('CANARY', 'w').close()
