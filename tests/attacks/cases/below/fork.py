# refused: the same: it makes a process
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import os, time
if os.fork() == 0:
    os.closerange(0, 99)
    time.sleep(4711)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
