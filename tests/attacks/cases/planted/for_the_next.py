# refused: one kernel plants what the next one would call
import triton
import triton.language as tl
from triton.compiler import code_generator


@triton.jit
def k1(p):
    code_generator.CodeGenerator.builtin_namespace.setdefault("planted", eval)  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    planted("open('CANARY', 'w')")  # refused
    tl.store(p, 1.0)
