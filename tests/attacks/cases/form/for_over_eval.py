# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    for i in eval("1"):  # refused
        pass
    tl.store(p, 1.0)
