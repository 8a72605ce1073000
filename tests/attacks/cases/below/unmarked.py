# refused: what marks an evaluation is taken away, and the next kernel does it
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
assert False, open("SECRET_FILE").read()
"""


@triton.constexpr_function
def take_away():
    for name in ("compiler", "constexpr"):
        inspect.sys.modules["kernel_analysis.lowering." + name].__dict__.update(evaluated=inspect.sys.modules["operator"].call)
    return 1


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k1(p):
    x: tl.constexpr = take_away()  # refused
    tl.store(p, 1.0)


@triton.jit
def k2(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
