# refused: the name is made by a format
import triton
import triton.language as tl


@triton.jit
def k(p):
    x: tl.constexpr = f"{'_'}_globals_{'_'}"
    y = getattr(tl.load, x)  # refused
    tl.store(p, 1.0)
