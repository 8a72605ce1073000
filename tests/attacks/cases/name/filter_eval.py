# refused: filter calls what it is given
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tuple(filter(eval, ("__import__('os').system('touch CANARY')",)))  # refused
    tl.store(p, 1.0)
