# refused: a thread does it
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import _thread, time
_thread.start_new_thread(open, ("CANARY", "w"))
time.sleep(0.2)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
