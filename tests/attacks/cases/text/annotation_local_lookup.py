# refused: a local annotation looks something up
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: triton.runtime.build.os.environ["SECRET_NAME"] = 1  # refused
    tl.store(p, 1.0)
