# refused: a method that is a plain function
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p

    def q(self):
        open('CANARY', 'w')


@triton.jit
def k(p):
    x = C(p).q()  # refused
    tl.store(p, 1.0)
