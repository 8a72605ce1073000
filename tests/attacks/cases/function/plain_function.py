# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
def helper():
    open('CANARY', 'w')


@triton.jit
def k(p):
    helper()
    tl.store(p, 1.0)
