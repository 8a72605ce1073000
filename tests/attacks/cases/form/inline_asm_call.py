# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.inline_asm_elementwise(open("SECRET_FILE").read(), "=r,r", [p], tl.int32, True, 1)  # refused
    tl.store(p, 1.0)
