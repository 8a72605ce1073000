# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
E = triton.constexpr_function(eval)


@triton.jit
def k(p):
    x: tl.constexpr = E("open('CANARY', 'w')")
    tl.store(p, 1.0)
