# refused: an error tells what the environment is
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = int(triton.runtime.build.os.environ["SECRET_NAME"])  # refused
    tl.store(p, 1.0)
