# refused: a decorator above the aggregate
import triton
import triton.language as tl


def other(cls):
    open('CANARY', 'w')
    return cls


@other
@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)
