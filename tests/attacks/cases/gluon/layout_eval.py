# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    x = gl.BlockedLayout([1], [32], [eval("open('CANARY', 'w')")], [0])  # refused
    gl.store(p, 1.0)
