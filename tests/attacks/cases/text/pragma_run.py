# any: a comment says how the kernel is to be run
import triton
import triton.language as tl


# triton-run: p=__import__('os').system('touch CANARY'), N=open('CANARY', 'w')
@triton.jit
def k(p, N: tl.constexpr):
    tl.store(p, N)
