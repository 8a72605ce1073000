# any: print calls write of whatever it is given
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.static_print("forged", file=tl.core)
    tl.store(p, 1.0)
