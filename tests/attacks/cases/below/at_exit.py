# refused: it is done when the process ends
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import atexit, os
atexit.register(os.system, "touch CANARY")
sys.exit(0)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
