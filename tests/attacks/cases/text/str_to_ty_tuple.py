# refused: the same as a part of a tuple's type
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.str_to_ty(("i32", "tensordesc<fp32[16],__import__('os').system('touch CANARY')>"), None)  # refused
    tl.store(p, 1.0)
