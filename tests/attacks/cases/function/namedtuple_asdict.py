# refused: what a function, class or constant of the file makes of it
import triton
import triton.language as tl
from collections import namedtuple
N = namedtuple('N', 'a b')


@triton.jit
def k(p):
    x = N(eval, 2)._asdict()["a"]("1")
    tl.store(p, 1.0)
