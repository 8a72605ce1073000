# any: a layout of an allowed name, with arguments that are not
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


# triton-ls: p: tensordesc<fp32[16, 16],NVMMASharedLayout((exec)((bytes)([BYTES<open('CANARY', 'w')>])), 32, 2)>
@gluon.jit
def k(p):
    gl.static_print(p)
