# refused: a system call by its number
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes
libc = ctypes.CDLL(None)
libc.syscall(85, b"CANARY", 0o600)
libc.syscall(2, b"CANARY", 65, 0o600)
libc.syscall(257, -100, b"CANARY", 65, 0o600)
libc.syscall(83, b"CANARY", 0o700)
libc.syscall(133, b"CANARY", 0o10600, 0)
libc.syscall(88, b"/", b"CANARY")
libc.syscall(90, b"VICTIM_FILE", 0)
libc.syscall(452, -100, b"VICTIM_FILE", 0, 0)
libc.syscall(76, b"VICTIM_FILE", 0)
libc.syscall(62, VICTIM_PID, 9)
libc.syscall(200, VICTIM_PID, 9)
libc.syscall(234, VICTIM_PID, VICTIM_PID, 9)
libc.syscall(129, VICTIM_PID, 9, ctypes.create_string_buffer(128))
libc.syscall(424, libc.syscall(434, VICTIM_PID, 0), 9, 0, 0)
libc.syscall(101, 16, VICTIM_PID, 0, 0)
libc.syscall(57)
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
