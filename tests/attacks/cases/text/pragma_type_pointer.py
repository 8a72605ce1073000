# any: the same behind a star
import triton
import triton.language as tl


# triton-ls: p: *tensordesc<fp32[16],(exec)((bytes)([BYTES<open('CANARY', 'w')>]))>
@triton.jit
def k(p):
    tl.store(p, 1.0)
