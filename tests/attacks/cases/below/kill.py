# refused: the same: it ends a process of another
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import os
os.kill(VICTIM_PID, 9)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
