# any: what stands at the top of the file
import triton
import triton.language as tl
import sys
sys.meta_path.insert(0, open('CANARY', 'w'))
import attack_module


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- attack_module.py
open('CANARY', 'w')
X = 1
__all__ = [open('CANARY', 'w')]
