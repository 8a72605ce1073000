# refused: an item of Triton's own lists and dicts is changed in place
import triton
import triton.language as tl


@triton.constexpr_function
def change():
    tl.core.tensor.__dict__["x"] = 1
    return 1


@triton.constexpr_function
def change2():
    tl.dtype.SINT_TYPES[0] += "x"
    return tl.dtype.SINT_TYPES[0].endswith("x")


@triton.jit
def k(p):
    tl.store(p, change())  # refused


@triton.jit
def k2(p):
    tl.static_assert(change2())  # refused
