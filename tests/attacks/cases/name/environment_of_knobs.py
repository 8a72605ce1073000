# refused: Triton's own settings read the environment
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = triton.knobs.getenv("SECRET_NAME")  # refused
    tl.static_assert(False, x)
    tl.store(p, 1.0)
