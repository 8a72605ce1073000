# refused: a local annotation is evaluated by Triton
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: open('CANARY', 'w') = 1  # refused
    tl.store(p, 1.0)
