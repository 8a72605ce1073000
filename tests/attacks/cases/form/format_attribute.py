# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_assert(False, "{0.__globals__}".format(tl.load.__wrapped__))  # refused
    tl.store(p, 1.0)
