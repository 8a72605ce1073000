# any: the same in a tuple's type
import triton
import triton.language as tl


# triton-ls: p: (i32, tensordesc<fp32[16],(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>)
@triton.jit
def k(p):
    tl.store(p[0], 1.0)
