# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import importlib


@triton.jit
def k(p):
    importlib.import_module("attack_module")  # refused
    tl.store(p, 1.0)
# ---- attack_module.py
open('CANARY', 'w')
