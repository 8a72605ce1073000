# any: a field's annotation is a text, which Triton hands to Python's eval
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: "open('CANARY', 'w')"

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    tl.store(C(p).p, 1.0)
