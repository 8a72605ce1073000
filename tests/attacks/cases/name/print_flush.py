# any: a print that flushes
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_print("x", flush=True, end="\n")
    tl.store(p, 1.0)
