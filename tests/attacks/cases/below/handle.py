# refused: a file by its handle
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes
libc = ctypes.CDLL(None)
handle = ctypes.create_string_buffer(b"\\x80\\0\\0\\0", 200)
if libc.syscall(303, -100, b"SECRET_FILE", handle, ctypes.byref(ctypes.c_int()), 0) == 0:
    import os
    descriptor = libc.syscall(304, os.open("FOLDER", 0), handle, 0)
    assert False, os.read(descriptor, 100)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
