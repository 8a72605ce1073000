# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.jit
def helper():
    return eval


@triton.jit
def k(p):
    helper()("open('CANARY', 'w')")
    tl.store(p, 1.0)
