# refused: an item alone reads the environment, no call is needed
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = triton.runtime.build.os.environ["SECRET_NAME"]  # refused
    tl.static_assert(False, x)
    tl.store(p, 1.0)
