# analyzed root: a module named usercustomize lies where Python would look first
import triton
import triton.language as tl
import usercustomize


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- usercustomize.py
open('CANARY', 'w').close()
