# any: what stands at the top of the file
import triton
import triton.language as tl
import atexit
atexit.register(open, 'CANARY', 'w')


@triton.jit
def k(p):
    tl.store(p, 1.0)
