# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl
from triton.runtime.build import tempfile as t


@triton.jit
def k(p):
    with t.TemporaryDirectory():  # refused
        pass
    tl.store(p, 1.0)
