# any: the text of an object that reads a file
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_print(f"{license}")
    tl.store(p, 1.0)
