# refused: bytes that double
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = b"ab"
    for i in tl.static_range(60):
        x = x + x  # refused
    tl.store(p, 1.0)
