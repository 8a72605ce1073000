# refused: the compiler's own use of it
import triton
import triton.language as tl
from triton.compiler import code_generator


@triton.jit
def k(p):
    code_generator.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)  # refused
    tl.store(p, 1.0)
