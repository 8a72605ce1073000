# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
class M:
    @property
    def x(self):
        open('CANARY', 'w')


C = M()


@triton.jit
def k(p):
    x = C.x
    tl.store(p, 1.0)
