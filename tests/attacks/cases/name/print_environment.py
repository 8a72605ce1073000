# refused: the environment as an argument
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_print(triton.runtime.build.os.environ["SECRET_NAME"])  # refused
    tl.store(p, 1.0)
