# refused: Python's exec
import triton
import triton.language as tl


@triton.jit
def k(p):
    exec("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
