# refused: an attribute of a class of the file
import triton
import triton.language as tl
class C:
    E = eval


@triton.jit
def k(p):
    C.E("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
