# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = eval("1") if p.dtype.is_ptr() else 1  # refused
    tl.store(p, 1.0)
