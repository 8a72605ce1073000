# analyzed root: a module named asyncio lies where Python would look first
import triton
import triton.language as tl
import asyncio


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- asyncio.py
open('CANARY', 'w').close()
