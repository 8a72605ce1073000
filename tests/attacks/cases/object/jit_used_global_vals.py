# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.flip.used_global_vals["a"]  # refused
    tl.store(p, 1.0)
