# any: a helper's default calls it
import triton
import triton.language as tl
@triton.jit
def helper(x=tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>", None)):
    return x


@triton.jit
def k(p):
    helper()
    tl.store(p, 1.0)
