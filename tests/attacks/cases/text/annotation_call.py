# any: a parameter's annotation is a call
import triton
import triton.language as tl


@triton.jit
def k(p: open('CANARY', 'w')):
    tl.store(p, 1.0)
