# refused: the dtype of a reduction as a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.sum(tl.arange(0, 16), 0, dtype="tensordesc<fp32[16],__import__('os').system('touch CANARY')>")  # refused
    tl.store(p, 1.0)
