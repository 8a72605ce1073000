# refused: a base class of the file's
import triton
import triton.language as tl


class Base:
    def __init_subclass__(cls):
        open('CANARY', 'w')

    def f(self):
        open('CANARY', 'w')


@tl.core._aggregate
class C(Base):
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    x = C(p).f()  # refused
    tl.store(p, 1.0)
