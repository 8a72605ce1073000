# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    x = gl._core._aggregate(gl.BlockedLayout)  # refused
    gl.store(p, 1.0)
