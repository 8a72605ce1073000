# refused: Python's eval
import triton
import triton.language as tl


@triton.jit
def k(p):
    eval("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
