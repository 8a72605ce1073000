# analyzed root: a module named sitecustomize lies where Python would look first
import triton
import triton.language as tl
import sitecustomize


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- sitecustomize.py
open('CANARY', 'w').close()
