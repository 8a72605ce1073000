# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from typing import NamedTuple


class N(NamedTuple):
    a: int

    def f(self):
        open('CANARY', 'w')


@triton.jit
def k(p):
    x = N(1).f()
    tl.store(p, 1.0)
