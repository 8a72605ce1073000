# refused: a constexpr function is given it
import triton
import triton.language as tl
@triton.constexpr_function
def c(f):
    return f("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", None)


@triton.jit
def k(p):
    x: tl.constexpr = c(tl.str_to_ty)
    tl.store(p, 1.0)
