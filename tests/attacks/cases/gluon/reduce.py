# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    x = gl.reduce(gl.arange(0, 32, gl.BlockedLayout([1], [32], [4], [0])), 0, eval)  # refused
    gl.store(p, 1.0)
