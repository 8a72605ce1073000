# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
class M:
    def __add__(self, other):
        open('CANARY', 'w')


C = M()


@triton.jit
def k(p):
    x = C + 1
    tl.store(p, 1.0)
