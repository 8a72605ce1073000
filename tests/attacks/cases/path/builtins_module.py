# refused: what a dotted path or an import gets at
import triton
import triton.language as tl
import builtins as b


@triton.jit
def k(p):
    b.eval("open('CANARY', 'w')")  # refused
    tl.store(p, 1.0)
