# any: what stands at the top of the file
import triton
import triton.language as tl
X = [tl.constexpr(open(n, 'w')) for n in ('CANARY',)]


@triton.jit
def k(p):
    tl.store(p, X[0])
