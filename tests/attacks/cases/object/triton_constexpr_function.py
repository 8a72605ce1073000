# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.constexpr_function(eval)("open('CANARY', 'w')")  # refused
    tl.store(p, 1.0)
