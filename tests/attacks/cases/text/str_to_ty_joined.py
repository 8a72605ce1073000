# refused: the same, put together from harmless parts
import triton
import triton.language as tl


@triton.jit
def k(p):
    text: tl.constexpr = "tensordesc<fp32[16]," + "__import__('os').system('touch CANARY')" + ">"
    tl.str_to_ty(text.value, None)  # refused
    tl.store(p, 1.0)
