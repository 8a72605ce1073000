# refused: the same by a constexpr function
import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator as C


@triton.constexpr_function
def plant():
    C.builtin_namespace["planted"] = eval
    return 1


@triton.jit
def k1(p):
    x: tl.constexpr = plant()
    tl.store(p, x)


@triton.jit
def k2(p):
    planted("open('CANARY', 'w')")  # refused
    tl.store(p, 1.0)
