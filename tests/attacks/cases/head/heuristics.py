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


@triton.heuristics({'N': lambda args: open('CANARY', 'w')})
@triton.jit
def k(p, N: tl.constexpr):
    tl.static_print(1)
    tl.store(p, 1.0)
