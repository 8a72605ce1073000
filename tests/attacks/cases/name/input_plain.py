# refused: reading the agent's input would take its orders away
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = input("give")  # refused
    tl.store(p, 1.0)
