# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
class C:
    __triton_builtin__ = True

    def __new__(cls):
        open('CANARY', 'w')


@triton.jit
def k(p):
    C()
    tl.store(p, 1.0)
