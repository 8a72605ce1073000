# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
@triton.jit
def helper():
    pass


@triton.jit
def k(p):
    triton.testing.do_bench(helper)  # refused
    tl.store(p, 1.0)
