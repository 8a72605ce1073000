# refused: a program that is in no file
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes, os
libc = ctypes.CDLL(None)
descriptor = libc.syscall(319, b"x", 0)
os.write(descriptor, open("MARKER", "rb").read())
libc.syscall(322, descriptor, b"", (ctypes.c_char_p * 3)(b"x", b"CASE"), None, 0x1000)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
