# any: what stands at the top of the file
import triton
import triton.language as tl
if open('CANARY', 'w'):
    X = tl.constexpr(1)
else:
    X = tl.constexpr(2)


@triton.jit
def k(p):
    tl.store(p, X)
