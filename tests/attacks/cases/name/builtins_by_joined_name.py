# refused: the same, the name in two parts
import triton
import triton.language as tl


@triton.jit
def k(p):
    getattr(getattr(len, "__se" + "lf__"), "ev" + "al")("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
