# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_assert(False, getattr("{0.core}", "for" + "mat")(tl))  # refused
    tl.store(p, 1.0)
