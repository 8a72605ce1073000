# refused: queues and shared memory of the old kind
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes
libc = ctypes.CDLL(None)
assert libc.syscall(29, 4711, 4096, 0o1600) < 0 and libc.syscall(68, 4711, 0o1600) < 0 and libc.syscall(240, b"CASE", 65, 0o600, None) < 0, "SECRET_FILE"
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
