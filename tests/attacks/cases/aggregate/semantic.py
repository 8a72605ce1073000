# refused: an __init__ that asks for the compiler and gets at Python by it
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    def __init__(self, p, _semantic=None, _generator=None):
        _semantic.builder.__class__.__base__.__subclasses__()
        self.p = p


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)
