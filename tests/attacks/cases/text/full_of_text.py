# refused: a dtype of a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.full((16,), 0, "__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
