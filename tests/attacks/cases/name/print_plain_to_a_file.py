# refused: print is Triton's own here, and takes no file
import triton
import triton.language as tl


@triton.jit
def k(p):
    print("x", file=open('CANARY', 'w'))  # refused
    tl.store(p, 1.0)
