# refused: a type as a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = p.to("*tensordesc<fp32[16],__import__('os').system('touch CANARY')>", bitcast=True)  # refused
    tl.store(p, 1.0)
