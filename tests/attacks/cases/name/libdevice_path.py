# refused: a library function by its module
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.extra.libdevice.core.builtins.open("CANARY", "w")  # refused
    tl.store(p, 1.0)
