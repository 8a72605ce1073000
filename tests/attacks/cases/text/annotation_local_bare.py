# any: a local annotation without a value
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: open('CANARY', 'w')
    tl.store(p, 1.0)
