# refused: work that the kernel does for it
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes
libc = ctypes.CDLL(None)
if libc.syscall(425, 8, ctypes.create_string_buffer(256)) >= 0:
    open("/proc/self/comm", "w")
    import os
    os.write(os.open("CANARY", 65, 0o600), b"1")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
