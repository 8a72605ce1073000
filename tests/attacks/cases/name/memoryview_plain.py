# refused: bytes of others
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = memoryview(b'abc').obj  # refused
    tl.store(p, 1.0)
