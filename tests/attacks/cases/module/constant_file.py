# any: what stands at the top of the file
import triton
import triton.language as tl
X = tl.constexpr(open('SECRET_FILE').read())


@triton.jit
def k(p):
    tl.store(p, X)
