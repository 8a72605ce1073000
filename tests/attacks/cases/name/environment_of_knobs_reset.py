# refused: a setting is changed for the next kernel
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.knobs.compilation.allow_non_constexpr_globals = False  # refused
    tl.store(p, 1.0)
