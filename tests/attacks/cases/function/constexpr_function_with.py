# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.constexpr_function
def c():
    with open('CANARY', 'w'):
        return 1


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
