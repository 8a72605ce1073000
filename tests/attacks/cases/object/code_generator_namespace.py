# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator


@triton.jit
def k(p):
    CodeGenerator.builtin_namespace.setdefault("planted", eval)  # refused
    planted("open('CANARY', 'w')")
    tl.store(p, 1.0)
