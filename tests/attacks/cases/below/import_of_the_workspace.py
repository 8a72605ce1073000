# refused: the same: it imports a module of the workspace
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import sys
sys.path.append("FOLDER")
import kernel
open("CANARY", "w")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
