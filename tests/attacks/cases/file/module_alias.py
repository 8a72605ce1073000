# refused: the compiler as a member of another file
import triton
import triton.language as tl
import attack_module as m


@triton.jit
def k(p):
    m.cg.CodeGenerator.builtin_namespace.setdefault("planted", m.E)  # refused
    planted("open('CANARY', 'w')")
    tl.store(p, 1.0)
# ---- attack_module.py
from triton.compiler import code_generator as cg
E = eval
