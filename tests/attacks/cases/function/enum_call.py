# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import enum


class C(enum.Enum):
    E = 'a'

    def _missing_(cls, v):
        open('CANARY', 'w')


@triton.jit
def k(p):
    x = C("a")
    tl.store(p, 1.0)
