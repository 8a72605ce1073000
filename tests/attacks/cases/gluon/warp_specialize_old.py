# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    gl.warp_specialize(("open('CANARY', 'w')",), eval, (1,), [eval], [4], [24])  # refused
    gl.store(p, 1.0)
