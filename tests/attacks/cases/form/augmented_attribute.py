# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.core.TRITON_MAX_TENSOR_NUMEL += 1  # refused
    tl.store(p, 1.0)
