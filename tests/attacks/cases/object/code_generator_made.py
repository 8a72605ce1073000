# refused: an object of Triton's or Python's is taken apart
import triton
import triton.language as tl
from triton.compiler.code_generator import CodeGenerator

@triton.jit
def helper(x):
    return x


@triton.jit
def k(p):
    x = CodeGenerator(None, None, {}, "x", helper, options=None, codegen_fns=None, module_map=None, is_gluon=False)  # refused
    tl.store(p, 1.0)
