# any: a method of the name `_set_name`, which Python or Triton calls
import triton
import triton.language as tl


@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def __init__(self, p):
        self.p = p

    @triton.constexpr_function
    def _set_name(self, *args):
        return eval("open('CANARY', 'w')")


@triton.jit
def k(p):
    x = C(p)
    y = x.other
    tl.store(p, 1.0)
