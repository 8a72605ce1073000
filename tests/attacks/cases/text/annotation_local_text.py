# any: a local annotation in a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: "tl.constexpr(open('CANARY', 'w'))" = 1
    tl.store(p, 1.0)
