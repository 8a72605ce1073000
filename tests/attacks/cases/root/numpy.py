# analyzed root: a module named numpy lies where Python would look first
import triton
import triton.language as tl
import numpy


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- numpy.py
open('CANARY', 'w').close()
