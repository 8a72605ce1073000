# refused: the audit hook is overwritten in memory
import triton
import triton.language as tl
from triton.runtime.jit import inspect

PROGRAM = """
import sys
import ctypes, os
hook = sys.modules["kernel_analysis.agent.sandbox.audit"]._hook
code = next(c for c in hook.__code__.co_consts if getattr(c, "co_name", "") == "hook")
load, give = code.co_consts.index(None), bytes([100, code.co_consts.index(None), 83, 0])
ctypes.memmove(id(code) + type(code).__basicsize__, bytes([151, 0, *give]), 6)
os.system("touch CANARY")
"""


@triton.constexpr_function
def run():
    return inspect.types.FunctionType(compile(PROGRAM, "x", "exec"), inspect.__dict__)()


@triton.jit
def k(p):
    x: tl.constexpr = run()  # refused
    tl.store(p, 1.0)
