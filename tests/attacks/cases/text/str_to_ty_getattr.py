# refused: the same, its name spelled out of parts
import triton
import triton.language as tl


@triton.jit
def k(p):
    getattr(tl, "str_" + "to_ty")("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", None)  # refused
    tl.store(p, 1.0)
