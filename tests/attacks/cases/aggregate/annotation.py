# any: a field's annotation is an expression of Python's, which Triton takes the value of
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: open('CANARY', 'w')

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    tl.store(C(p).p, 1.0)
