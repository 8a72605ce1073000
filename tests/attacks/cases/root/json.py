# analyzed root: a module named json lies where Python would look first
import triton
import triton.language as tl
import json


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- json.py
open('CANARY', 'w').close()
