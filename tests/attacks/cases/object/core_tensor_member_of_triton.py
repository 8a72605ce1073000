# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl


@triton.jit
def k(p):
    tl.core._tensor_member_fn(tl.str_to_ty)("i32", None)  # refused
    tl.store(p, 1.0)
