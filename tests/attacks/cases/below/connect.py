# refused: the same: it connects
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import socket
socket.create_connection(("127.0.0.1", PORT)).sendall(b"CASE")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
