# refused: hasattr asks an attribute whose property computes
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = hasattr(triton.knobs.nvidia, "ptxas")  # refused
    tl.store(p, 1.0)
