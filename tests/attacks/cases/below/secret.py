# refused: the same: it reads a secret
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
assert False, open("SECRET_FILE").read()
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
