# refused: isinstance asks a class of its own mind
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = isinstance(p, triton.runtime.build.os.PathLike)  # refused
    tl.store(p, 1.0)
