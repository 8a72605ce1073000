# refused: Python's open
import triton
import triton.language as tl


@triton.jit
def k(p):
    open('CANARY', 'w')  # refused
    tl.store(p, 1.0)
