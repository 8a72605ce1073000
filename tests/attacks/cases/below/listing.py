# refused: the same: it lists where it may not
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import os
assert False, os.listdir(os.path.dirname("SECRET_FILE"))
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
