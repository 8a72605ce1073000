# any: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = f"{1:{10**9}}"
    tl.static_assert(False, x)
    tl.store(p, 1.0)
