# refused: what a method that is computed hands back is looked at
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor
    q: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p
        self.q = tl.constexpr(tl.core.builtins)

    @triton.constexpr_function
    def f(self):
        return self.p.handle.__class__.__mro__


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    x = C.f(p)  # refused
    tl.store(p, 1.0)
