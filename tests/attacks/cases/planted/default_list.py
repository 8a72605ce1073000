# any: a default that grows from call to call
import triton
import triton.language as tl


@triton.constexpr_function
def grow(x, into=[]):
    into.append(x)
    return len(into)


@triton.jit
def k(p):
    a: tl.constexpr = grow(1)
    b: tl.constexpr = grow(2)
    tl.store(p, a + b)
