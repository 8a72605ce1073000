# refused: an __init__ that makes two of its own kind, and each of them two
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p, n):
        if n > 0:
            a = C(p, n - 1)
            b = C(p, n - 1)
        self.p = p


@triton.jit
def k(p):
    x = C(p, 60)  # refused
    tl.store(p, 1.0)
