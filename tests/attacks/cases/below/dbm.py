# refused: a module that opens files by itself
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import _dbm
_dbm.open("CANARY", "c")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
