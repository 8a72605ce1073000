# any: a class that decides itself what is an instance of it
import triton
import triton.language as tl


class Meta(type):
    def __instancecheck__(cls, value):
        open('CANARY', 'w')
        return True


class Any(metaclass=Meta):
    pass


@tl.core._aggregate
class C:
    p: Any

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    tl.store(C(p).p, 1.0)
