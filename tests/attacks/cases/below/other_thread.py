# refused: the thread that reads the messages does it
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import threading
for thread in threading.enumerate():
    thread._target = lambda: open("CANARY", "w")
import builtins
write = builtins.open
builtins.len = lambda value: (write("CANARY", "w"), value.__len__())[1]
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
