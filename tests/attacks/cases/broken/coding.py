# any: a file that names a codec that would compute
# -*- coding: unicode_escape -*-
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.store(p, 1.0)  # \nopen('CANARY', 'w')
