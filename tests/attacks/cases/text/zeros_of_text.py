# refused: a dtype of a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.zeros((16,), "tensordesc<fp32[16],__import__('os').system('touch CANARY')>")  # refused
    tl.store(p, 1.0)
