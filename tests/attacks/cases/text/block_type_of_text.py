# refused: a block type of a text
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.block_type("__import__('os').system('touch CANARY')", [16])
    tl.store(p, x)
    tl.store(p, 1.0)
