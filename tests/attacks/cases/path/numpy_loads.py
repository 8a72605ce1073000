# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import numpy


@triton.jit
def k(p):
    numpy.load("VICTIM_FILE", allow_pickle=True)  # refused
    tl.store(p, 1.0)
