# refused: the same with a constant as it is
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", None)  # refused
    tl.store(p, 1.0)
