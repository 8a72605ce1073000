# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.load.__globals__["builtins"].open("CANARY", "w")  # refused
    tl.store(p, 1.0)
