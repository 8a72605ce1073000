# refused: a builtin under another name, called by sorting
import triton
import triton.language as tl
E = eval


@triton.constexpr_function
def c():
    return sorted(["__import__('os').system('touch CANARY')"], key=E)


@triton.jit
def k(p):
    x: tl.constexpr = c()
    tl.store(p, 1.0)
