# analyzed root: a module named zlib lies where Python would look first
import triton
import triton.language as tl
import zlib


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- zlib.py
open('CANARY', 'w').close()
