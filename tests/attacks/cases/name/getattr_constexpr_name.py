# refused: the name is a constexpr of the file
import triton
import triton.language as tl
N = tl.constexpr("__self__")


@triton.jit
def k(p):
    getattr(len, N).eval("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
