# refused: the parts that Triton itself puts into an aggregate
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p


@triton.jit
def k(p):
    x = C(p)._flatten_ir([])  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    x = C(p).__init__  # refused
    tl.store(p, 1.0)


@triton.jit
def k3(p):
    x = C(p).__class__  # refused
    tl.store(p, 1.0)


@triton.jit
def k4(p):
    x = C._get_instance()  # refused
    tl.store(p, 1.0)


@triton.jit
def k5(p):
    x = C.__new__.__globals__  # refused
    tl.store(p, 1.0)
