# refused: the same under another name
import triton
import triton.language as tl
from triton.language import str_to_ty as evaluate


@triton.jit
def k(p):
    evaluate("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)  # refused
    tl.store(p, 1.0)
