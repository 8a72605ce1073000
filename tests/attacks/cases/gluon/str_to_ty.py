# refused: Gluon's language
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def k(p):
    tl.str_to_ty("tensordesc<fp32[16],__import__('os').system('touch CANARY')>".value, None)  # refused
    gl.store(p, 1.0)
