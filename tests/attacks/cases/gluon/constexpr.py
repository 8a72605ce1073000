# refused: a constexpr function of a Gluon kernel
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.constexpr_function
def c(f):
    return max(("open('CANARY', 'w')", '1'), key=f)


@gluon.jit
def k(p):
    x: gl.constexpr = c(eval)
    gl.store(p, 1.0)
