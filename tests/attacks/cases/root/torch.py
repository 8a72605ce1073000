# analyzed root: a module named torch lies where Python would look first
import triton
import triton.language as tl
import torch


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- torch.py
open('CANARY', 'w').close()
