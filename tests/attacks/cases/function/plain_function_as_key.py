# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
def helper(x):
    open('CANARY', 'w')


@triton.jit
def k(p):
    x = max((1, 2), key=helper)
    tl.store(p, 1.0)
