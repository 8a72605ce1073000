# refused: a file of the workspace that says it is Triton's
import triton
import triton.language as tl
from attack_module import helper


@triton.jit
def k(p):
    helper(p)
    tl.store(p, 1.0)
# ---- attack_module.py
__name__ = 'triton.language.core'
__triton_builtin__ = True


def helper(p, _semantic=None):
    open('CANARY', 'w')


helper.__module__ = 'triton.language.core'
