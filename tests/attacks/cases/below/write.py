# refused: a function of code that was compiled and never executed as a text: it writes
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
open("CANARY", "w")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
