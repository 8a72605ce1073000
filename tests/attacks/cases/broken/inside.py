# any: the attack's own function does not parse
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)
    tl.store(p, 1.0
