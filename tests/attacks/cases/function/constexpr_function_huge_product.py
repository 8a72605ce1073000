# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.constexpr_function
def c():
    return [0 for i in range(10**5) for j in range(10**5)]


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
