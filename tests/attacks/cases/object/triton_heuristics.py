# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    triton.heuristics({"x": eval})(helper).run(p)  # refused
    tl.store(p, 1.0)
