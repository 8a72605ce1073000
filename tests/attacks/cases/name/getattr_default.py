# refused: what getattr gives where there is nothing
import triton
import triton.language as tl


@triton.jit
def k(p):
    getattr(tl, "nothing", eval)("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
