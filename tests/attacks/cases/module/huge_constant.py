# any: what stands at the top of the file
import triton
import triton.language as tl
X = tl.constexpr(9 ** 9 ** 9)


@triton.jit
def k(p):
    tl.store(p, X)
