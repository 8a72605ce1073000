# refused: the environment as a message
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_assert(False, triton.runtime.build.os.environ["SECRET_NAME"])  # refused
    tl.store(p, 1.0)
