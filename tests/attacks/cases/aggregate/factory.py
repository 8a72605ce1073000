# refused: a function that makes classes is followed by its text
import triton
import triton.language as tl


def make(T):
    open('CANARY', 'w')

    @tl.core._aggregate
    class C:
        p: T
        q: tl.constexpr = eval("open('CANARY', 'w')")

    return C


C = make(tl.tensor)


@triton.jit
def k(p):
    x = C(p)  # refused
    tl.store(p, 1.0)
