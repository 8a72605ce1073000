# refused: a list that doubles item by item
import triton
import triton.language as tl


@triton.constexpr_function
def grow():
    x = [[0], 2]
    for _ in range(60):
        x[0] *= 2
        x[1] **= 2
    return len(x[0])


@triton.jit
def k(p):
    tl.store(p, grow())  # refused
