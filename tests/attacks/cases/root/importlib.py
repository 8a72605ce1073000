# analyzed root: a module named importlib lies where Python would look first
import triton
import triton.language as tl
import importlib


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- importlib.py
open('CANARY', 'w').close()
