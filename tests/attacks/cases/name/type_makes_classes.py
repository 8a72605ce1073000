# refused: a class whose making calls something
import triton
import triton.language as tl


@triton.jit
def k(p):
    type("X", (), {"__init_subclass__": eval})  # refused
    tl.store(p, 1.0)
