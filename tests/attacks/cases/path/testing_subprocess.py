# refused: what a dotted path or an import gets at
import triton
import triton.language as tl


@triton.jit
def k(p):
    triton.testing.subprocess.check_call(["MARKER", "CASE"])  # refused
    tl.store(p, 1.0)
