# analyzed root: a module named sqlite3 lies where Python would look first
import triton
import triton.language as tl
import sqlite3


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- sqlite3.py
open('CANARY', 'w').close()
