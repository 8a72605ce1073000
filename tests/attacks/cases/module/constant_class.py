# any: what stands at the top of the file
import triton
import triton.language as tl
class C:
    open('CANARY', 'w')
    X = tl.constexpr(eval('1'))


X = C.X


@triton.jit
def k(p):
    tl.store(p, X)
