# refused: a form of the language that evaluates what stands in it
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.device_print("x", triton.knobs)  # refused
    tl.store(p, 1.0)
