# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    x = gl.BlockedLayout([1], [32], [1], [0])._to_ir(triton)  # refused
    gl.store(p, 1.0)
