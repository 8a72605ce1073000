# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import enum


class C(enum.Enum):
    E = eval


@triton.jit
def k(p):
    C.E.value("open('CANARY', 'w')")
    tl.store(p, 1.0)
