# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    helper.fn.__globals__["tl"].core.builtins.open("CANARY", "w")  # refused
    tl.store(p, 1.0)
