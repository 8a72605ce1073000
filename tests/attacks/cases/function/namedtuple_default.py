# any: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from collections import namedtuple
N = namedtuple('N', 'a b', defaults=[eval])


@triton.jit
def k(p):
    x = N(1).b("open('CANARY', 'w')")
    tl.store(p, 1.0)
