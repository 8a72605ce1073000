# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    x = gl.NVMMASharedLayout.get_default_for(eval, eval)  # refused
    gl.store(p, 1.0)
