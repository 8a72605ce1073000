# any: what stands at the top of the file
import triton
import triton.language as tl
jit = eval('triton.jit')


@triton.jit
def k(p):
    tl.store(p, 1.0)
