# any: a comment says a constexpr parameter's value
import triton
import triton.language as tl


# triton-ls: N = __import__('os').system('touch CANARY')
@triton.jit
def k(p, N: tl.constexpr):
    tl.store(p, N)
