# refused: fields with names of Python's
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    __dict__: tl.constexpr
    __class__: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p):
        self.__class__ = p


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)
