# analyzed root: a module named cattrs lies where Python would look first
import triton
import triton.language as tl
import cattrs


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- cattrs.py
open('CANARY', 'w').close()
