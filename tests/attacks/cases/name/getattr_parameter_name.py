# refused: the name is a parameter's default
import triton
import triton.language as tl


@triton.jit
def k(p, N: tl.constexpr = "builtins"):
    getattr(tl.core, N).eval("__import__('os').system('touch CANARY')")  # refused
    tl.store(p, 1.0)
