# any: what stands at the top of the file
import triton
import triton.language as tl
for X in (open(n, 'w') for n in ('CANARY',)):
    pass


@triton.jit
def k(p):
    tl.store(p, X)
