# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    for i in tl.static_range("a", eval):  # refused
        pass
    tl.store(p, 1.0)
