# refused: Python's compile
import triton
import triton.language as tl


@triton.jit
def k(p):
    exec(compile("__import__('os').system('touch CANARY')", "x", "exec"))  # refused
    tl.store(p, 1.0)
