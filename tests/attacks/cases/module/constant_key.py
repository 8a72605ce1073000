# any: what stands at the top of the file
import triton
import triton.language as tl
X = tl.constexpr(max("open('CANARY', 'w')", '1', key=eval))


@triton.jit
def k(p):
    tl.store(p, X)
