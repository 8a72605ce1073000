# any: what does not parse, beside an attack
import triton
import triton.language as tl

x = '\x00'
open('CANARY', 'w')
)


@triton.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)
    tl.store(p, 1.0)
