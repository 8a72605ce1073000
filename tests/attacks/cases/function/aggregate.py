# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@tl.core._aggregate
class C:
    p: tl.tensor

    def __init__(self, p):
        open('CANARY', 'w')
        self.p = p


@triton.jit
def k(p):
    x = C(p)
    tl.store(p, 1.0)
