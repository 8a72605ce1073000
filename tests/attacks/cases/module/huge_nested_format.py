# refused: a field of a format that another field makes, two billion characters wide
import triton
import triton.language as tl
X = len("{:{}}".format(1, 2_000_000_000))


@triton.jit
def k(p):
    tl.store(p, X)  # refused
