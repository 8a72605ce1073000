# any: what stands at the top of the file
import triton
import triton.language as tl
X = tl.constexpr(eval("open('CANARY', 'w')") or 1)


@triton.jit
def k(p):
    tl.store(p, X)
