# analyzed root: a module named triton_ls lies where Python would look first
import triton
import triton.language as tl
import triton_ls


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- triton_ls.py
open('CANARY', 'w').close()
