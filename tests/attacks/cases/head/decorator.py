# any: what stands in a kernel's head
import triton
import triton.language as tl
from builtins import eval as E


def wrap(f):
    open('CANARY', 'w')
    return f


def configs():
    open('CANARY', 'w')
    return []


@open('CANARY', 'w')
@triton.jit
def k(p):
    tl.static_print(1)
    tl.store(p, 1.0)
