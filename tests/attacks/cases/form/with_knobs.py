# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    with triton.knobs.compilation.scope():  # refused
        pass
    tl.store(p, 1.0)
