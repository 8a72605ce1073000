# refused: the name is turned round
import triton
import triton.language as tl


@triton.jit
def k(p):
    getattr(tl.core, "snitliub"[::-1]).eval("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
