# refused: a constexpr function calls it
import triton
import triton.language as tl
@triton.constexpr_function
def c():
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", None)
    return 1


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
