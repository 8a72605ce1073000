# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.jit
def helper(*a):
    return a[0](a[1])


@triton.jit
def k(p):
    helper(eval, "open('CANARY', 'w')")
    tl.store(p, 1.0)
