# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import ctypes


@triton.jit
def k(p):
    ctypes.CDLL(None).system(b"touch CANARY")  # refused
    tl.store(p, 1.0)
