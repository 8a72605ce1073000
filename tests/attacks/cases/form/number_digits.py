# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = int("9" * 60000)  # refused
    tl.store(p, 1.0)
