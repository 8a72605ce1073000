# refused: a list sorts itself
import triton
import triton.language as tl
E = eval


@triton.constexpr_function
def c(f):
    found = ["__import__('os').system('touch CANARY')", "1"]
    found.sort(key=f)
    return 1


@triton.jit
def k(p):
    x: tl.constexpr = c(E)
    tl.store(p, 1.0)
