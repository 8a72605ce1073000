# refused: a semaphore is a file
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import _multiprocessing
_multiprocessing.SemLock(0, 1, 1, "/CASE", False)
open("CANARY", "w")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
