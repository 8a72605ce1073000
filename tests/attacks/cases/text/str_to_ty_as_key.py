# refused: a function of Triton's as the key of max
import triton
import triton.language as tl
@triton.constexpr_function
def c(text):
    return max((text, text), key=tl.str_to_ty)


@triton.jit
def k(p):
    x: tl.constexpr = c("tensordesc<fp32[16],__import__('os').system('touch CANARY')>")
    tl.store(p, 1.0)
