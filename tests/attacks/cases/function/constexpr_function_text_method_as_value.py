# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.constexpr_function
def c():
    return list(map('{0.core}'.format, (tl,)))[0]


@triton.jit
def k(p):
    tl.static_assert(False, c())
    tl.store(p, 1.0)
