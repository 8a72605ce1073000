# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    gl._core.inspect.sys.modules["os"].system("touch CANARY")  # refused
    gl.store(p, 1.0)
