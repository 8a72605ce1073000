# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.testing.set_gpu_clock()  # refused
    tl.store(p, 1.0)
