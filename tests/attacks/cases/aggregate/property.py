# refused: a property runs when it is read
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p

    @property
    def q(self):
        open('CANARY', 'w')


@triton.jit
def k(p):
    x = C(p).q  # refused
    tl.store(p, 1.0)
