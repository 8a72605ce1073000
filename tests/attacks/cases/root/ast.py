# analyzed root: a module named ast lies where Python would look first
import triton
import triton.language as tl
import ast


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- ast.py
open('CANARY', 'w').close()
