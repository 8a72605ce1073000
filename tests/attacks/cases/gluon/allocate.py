# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    gl.allocate_shared_memory(eval, [16], eval)  # refused
    gl.store(p, 1.0)
