# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    while tl.condition(eval("1")):  # refused
        pass
    tl.store(p, 1.0)
