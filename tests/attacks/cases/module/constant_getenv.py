# any: what stands at the top of the file
import triton
import triton.language as tl
import os
X = tl.constexpr(os.getenv('SECRET_NAME', 'x'))


@triton.jit
def k(p):
    tl.store(p, X)
