# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    for i in triton.runtime.build.os.walk("FOLDER"):  # refused
        pass
    tl.store(p, 1.0)
