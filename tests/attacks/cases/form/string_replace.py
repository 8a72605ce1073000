# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = ("a" * 60000).replace("a", "b" * 60000)
    tl.store(p, 1.0)
