# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@tl.core.builtin
def helper(_semantic=None):
    open('CANARY', 'w')


@triton.jit
def k(p):
    helper()
    tl.store(p, 1.0)
