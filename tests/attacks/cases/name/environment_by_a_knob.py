# refused: a setting of Triton's own making
import triton
import triton.language as tl
from triton.knobs import env_str as E


@triton.jit
def k(p):
    x = E("SECRET_NAME", "").get()  # refused
    tl.static_assert(False, x)
    tl.store(p, 1.0)
