# refused: the same, imported by its name
import triton
import triton.language as tl
from triton.knobs import os as o
from triton.runtime.build import os
environ = os.environ


@triton.jit
def k(p):
    tl.static_assert(False, environ["SECRET_NAME"])  # refused
    tl.store(p, 1.0)
