# refused: a metaclass of the file's
import triton
import triton.language as tl


class Meta(type):
    def __call__(cls, *args, **kwargs):
        open('CANARY', 'w')


@tl.core._aggregate
class C(metaclass=Meta):
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)
