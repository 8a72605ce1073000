# analyzed root: a module named ctypes lies where Python would look first
import triton
import triton.language as tl
import ctypes


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- ctypes.py
open('CANARY', 'w').close()
