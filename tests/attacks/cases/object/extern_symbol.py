# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    x = tl.core.extern_elementwise("x", "VICTIM_FILE", [p], {(tl.pointer_type(tl.float32),): (eval, eval)}, is_pure=True)  # refused
    tl.store(p, 1.0)
