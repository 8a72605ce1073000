# analyzed root: a package named like ours
import triton
import triton.language as tl
import kernel_analysis


@triton.jit
def k(p):
    tl.store(p, 1.0)
# ---- kernel_analysis/__init__.py
open('CANARY', 'w').close()
# ---- kernel_analysis/agent/__init__.py
open('CANARY', 'w').close()
# ---- kernel_analysis/agent/__main__.py
open('CANARY', 'w').close()
