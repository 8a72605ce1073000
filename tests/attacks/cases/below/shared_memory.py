# refused: memory that processes share by name is a file
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import _posixshmem, os
_posixshmem.shm_open("/CASE", os.O_CREAT | os.O_RDWR, 0o600)
open("CANARY", "w")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
