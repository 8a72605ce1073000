# refused: `self.__class__ = ...` and fields that are none, in an __init__
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p
        self.__class__ = tl.tensor


@tl.core._aggregate
class D:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        tl.core.tensor.p = p
        self.p = p


@tl.core._aggregate
class E:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        p.handle = self
        self.p = p


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    x = D(p)  # refused
    tl.store(p, 1.0)


@triton.jit
def k3(p):
    x = E(p)  # refused
    tl.store(p, 1.0)
