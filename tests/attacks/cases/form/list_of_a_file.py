# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = list(open("SECRET_FILE"))  # refused
    tl.static_assert(False, x[0])
    tl.store(p, 1.0)
