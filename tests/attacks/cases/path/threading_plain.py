# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import threading


@triton.jit
def k(p):
    threading.Thread(target=eval).start()  # refused
    tl.store(p, 1.0)
