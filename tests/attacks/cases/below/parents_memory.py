# refused: the same: it reads its parent's memory
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import os
open(f"/proc/{os.getppid()}/mem", "rb").read(1)
open("CANARY", "w")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
