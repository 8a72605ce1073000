# analyzed root: a module named conftest lies where Python would look first
import triton
import triton.language as tl
import conftest


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- conftest.py
open('CANARY', 'w').close()
