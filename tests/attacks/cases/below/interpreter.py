# refused: another interpreter in the same process has no audit hook of ours
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import _xxsubinterpreters as s
s.run_string(s.create(), "import os; os.system('touch CANARY')")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
