# refused: no call is written `name(`: what is called stands in brackets
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],(exec)((bytes)([BYTES<import os; os.system('touch CANARY')>]))>".value, None)  # refused
    tl.store(p, 1.0)
