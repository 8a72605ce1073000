# refused: Triton's own lists grow
import triton
import triton.language as tl


@triton.jit
def k1(p):
    tl.dtype.FP_TYPES.append("x")  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    tl.sum.used_global_vals.update({1: 2})  # refused
    tl.store(p, 1.0)
