# refused: a private name that one class has does not open that of another object
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    _semantic: tl.tensor
    _builder: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self._semantic = p
        self._builder = p


@triton.jit
def k(p):
    x = C(p)._semantic._semantic  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    x = C(p)._builder.handle._builder  # refused
    tl.store(p, 1.0)
