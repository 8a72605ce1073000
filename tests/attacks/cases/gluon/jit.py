# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    gluon.jit(eval)("1")  # refused
    gl.store(p, 1.0)
