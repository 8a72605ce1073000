# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    gl._core.tl_core.builtins.open("CANARY", "w")  # refused
    gl.store(p, 1.0)
