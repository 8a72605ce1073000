# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
class M(type):
    def __getattr__(cls, name):
        open('CANARY', 'w')


class C(metaclass=M):
    pass


@triton.jit
def k(p):
    x = C.anything
    tl.store(p, 1.0)
