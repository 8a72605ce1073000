# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
import enum


class C(enum.IntEnum):
    A = 1


@triton.jit
def k(p):
    x = C.A.__class__.__init_subclass__
    tl.store(p, 1.0)
