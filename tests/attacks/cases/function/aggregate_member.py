# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@tl.core._aggregate
class C:
    p: tl.tensor

    @triton.constexpr_function
    def f(self):
        return eval("open('CANARY', 'w')")


@triton.jit
def k(p):
    x = C.f(p)
    tl.store(p, 1.0)
