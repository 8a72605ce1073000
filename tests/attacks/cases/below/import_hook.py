# refused: it is done when the next module is imported
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
sys.meta_path.insert(0, type("F", (), {"find_spec": staticmethod(lambda *_: open("CANARY", "w"))}))
import wave
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
