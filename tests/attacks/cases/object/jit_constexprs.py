# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.sum.constexprs.append(1)  # refused
    tl.store(p, 1.0)
