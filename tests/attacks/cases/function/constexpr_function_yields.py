# any: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.constexpr_function
def c():
    yield open('CANARY', 'w')


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
