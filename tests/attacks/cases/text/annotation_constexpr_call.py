# any: an annotation that has the word constexpr in it
import triton
import triton.language as tl


@triton.jit
def k(p, n: tl.constexpr(open('CANARY', 'w')) = 3):
    tl.store(p, n)
