# refused: a NamedTuple's default is an expression of Python's
import triton
import triton.language as tl
from typing import NamedTuple


class T(NamedTuple):
    p: tl.tensor
    q: tl.constexpr = open('CANARY', 'w')


@triton.jit
def k(p):
    x = T(p)  # refused
    tl.store(p, 1.0)
