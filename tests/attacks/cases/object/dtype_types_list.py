# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.dtype.FP_TYPES.append("tensordesc")  # refused
    tl.store(p, 1.0)
