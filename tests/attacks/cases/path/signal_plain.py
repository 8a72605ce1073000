# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import signal


@triton.jit
def k(p):
    signal.raise_signal(9)  # refused
    tl.store(p, 1.0)
