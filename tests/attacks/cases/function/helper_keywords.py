# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
@triton.jit
def helper(f, g=1, *, h=exec):
    return f(h)


@triton.jit
def k(p):
    helper(f=eval)
    tl.store(p, 1.0)
