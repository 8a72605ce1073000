# refused: a builtin function knows its module
import triton
import triton.language as tl


@triton.jit
def k(p):
    len.__self__.eval("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
