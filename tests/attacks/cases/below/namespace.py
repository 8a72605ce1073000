# refused: a world of its own, where it would be root
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes, os
libc = ctypes.CDLL(None)
if libc.syscall(272, 0x10000000) == 0 or libc.syscall(161, b"/") == 0:
    os.mkdir("CANARY")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
