# any: a launch's grid and arguments are calls
import triton
import triton.language as tl


@triton.jit
def k(p, n, N: tl.constexpr):
    tl.store(p, n + N)


k[lambda meta: (open('CANARY', 'w'),)](p=open('CANARY', 'w'), n=__import__('os').system('touch CANARY'), N=eval("open('CANARY', 'w')"))
k[(__import__('os').system('touch CANARY'),)](*open('CANARY', 'w'), **open('CANARY', 'w'))
