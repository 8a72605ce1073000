# analyzed root: a module named site lies where Python would look first
import triton
import triton.language as tl
import site


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- site.py
open('CANARY', 'w').close()
