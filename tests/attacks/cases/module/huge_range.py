# any: what stands at the top of the file
import triton
import triton.language as tl
X = tl.constexpr(sum(range(10 ** 15)))


@triton.jit
def k(p):
    tl.store(p, X)
