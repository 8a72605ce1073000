"""Text that would like to be run: it never is, and the answer is a plain problem at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import lower

from kernel_analysis.source.slice import Unresolved

BODIES = {
    "open": 'open(PATH, "w")',
    "eval": "eval(\"open(PATH, 'w')\")",
    "exec": "exec(\"open(PATH, 'w')\")",
    "import": '__import__("os").system("touch " + PATH)',
    "import statement": 'import os; os.system("touch " + PATH)',
    "the os module of a Triton module": 'tl.core.os.system("touch " + PATH)',
    "the runtime": 'triton.runtime.jit.os.system("touch " + PATH)',
    "inspect": "tl.core.inspect.os",
    "builtins": 'tl.__builtins__["open"](PATH, "w")',
    "loader": 'getattr(tl, "__loader__")',
    "getattr of a module": 'getattr(getattr(tl, "core"), "builtins")',
    "globals of a helper": "helper.fn.__globals__",
    "a helper's own methods": "helper.run(p)",
    "format": '"{0.__class__}".format(1)',
    "an f-string": "tl.static_print(f\"{open(PATH, 'w')}\")",
    "lambda": '(lambda: open(PATH, "w"))()',
    "walrus": '(y := open(PATH, "w"))',
    "star-args": 'print(*open(PATH, "w"))',
    "a comprehension": '[open(PATH, "w") for i in tl.static_range(1)]',
    "a decorator": '@open(PATH, "w")\n    def inner(): pass',
    "an annotation": 'x: open(PATH, "w") = 1',
    "a class": 'class A: x = open(PATH, "w")',
    "the callee of a static_assert": 'tl.static_assert(open(PATH, "w"))',
    "a function of Triton's that calls": 'tl.core.builtin(open)(PATH, "w")',
    "with": 'with open(PATH, "w"): pass',
    "try": 'try:\n        open(PATH, "w")\n    except Exception: pass',
    "setattr": 'setattr(tl, "load", 1)',
    "assignment to Triton": "tl.load = 1",
    "a huge number": "x: tl.constexpr = 9 ** 9 ** 9",
    "a huge shift": "x: tl.constexpr = 1 << (1 << 40)",
    "a huge string": 'x: tl.constexpr = "a" * 10**10',
    "a string of any width": 'x: tl.constexpr = "a".ljust(10**10)',
    "a string that doubles": 'x: tl.constexpr = "ab"\n    for i in tl.static_range(60): x = x + x',
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_body_is_never_run(tmp_path: Path, body: str) -> None:
    made = tmp_path / "made"
    text = f"""
@triton.jit
def helper(x):
    return x

@triton.jit
def kernel(p):
    {body.replace("PATH", repr(str(made)))}
    tl.store(p, helper(1))
"""
    (tmp_path / "work").mkdir()
    problem = lower(tmp_path / "work", text, p="*i32").problem
    assert not made.exists()
    assert problem.code in ("compile-error", "not-analyzed")
    assert problem.message
    assert "kernel_analysis" not in problem.message
    assert " at 0x" not in problem.message
    assert problem.at.function == 0
    assert problem.at.node > 0, "the problem has a place in the body"


def test_heads_are_never_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"""
@triton.jit
def helper(x, y=open({str(made)!r}, "w"), z: open({str(made)!r}, "w") = 3):
    return x + z

@triton.jit
def kernel(p: open({str(made)!r}, "w"), q=__import__("os").system({f"touch {made}"!r})):
    tl.store(p, helper(1, 2))
"""
    (tmp_path / "work").mkdir()
    case = lower(tmp_path / "work", text, p="*i32", q="i32")
    assert case.placed("tt.store") == ["tl.store(p, helper(1, 2))"]
    assert not made.exists()


def test_triton_is_as_it_was(tmp_path: Path) -> None:
    """What a kernel tried to change is not changed for the next one."""
    text = """
@triton.jit
def bad(p):
    tl.store = tl.load

@triton.jit
def kernel(p):
    tl.store(p, 1)
"""
    assert lower(tmp_path, text, "bad", p="*i32").problem.code == "compile-error"
    assert lower(tmp_path, text, p="*i32").placed("tt.store") == ["tl.store(p, 1)"]


def test_the_reason_for_a_name_is_the_source_rooms(tmp_path: Path) -> None:
    text = """
import os

@triton.jit
def kernel(p):
    tl.store(p, os.getpid())
"""
    case = lower(tmp_path, text, p="*i32")
    binding = case.slice.functions[0].bindings["os"]
    reasons = {b.reason for b in (binding, *getattr(binding, "members", {}).values()) if isinstance(b, Unresolved)}
    assert case.problem.code == "not-analyzed"
    assert case.problem.message in reasons


USED = {
    "a jit function of the standard library": "n: tl.constexpr = tl.standard._log2(8)",
    "a backend's own functions": "n = tl.extra.cuda.num_warps()",
    "a libdevice of one backend": "n = tl.extra.cuda.libdevice.tanh(1.0).to(tl.int32)",
    "a dtype by its size": "n = tl.full([], 1, tl.core.get_int_dtype(32, True))",
    "an operator by its name": "n = tl.load(p).__rshift__(1)",
    "a combining function": "n = tl.reduce(tl.arange(0, 4), 0, tl.standard._sum_combine)",
    "a method of a text": "n: tl.constexpr = 1 if 'abc'.startswith('a') else 2",
    "numbers of Python": "n: tl.constexpr = max(int(2.5), len((1, 2)))",
    "math": "import_free: tl.constexpr = math.ceil(math.log2(9))\n    n = import_free",
    "getattr of a type": "n: tl.constexpr = getattr(p.dtype, 'element_ty').primitive_bitwidth",
}


@pytest.mark.parametrize("body", USED.values(), ids=USED)
def test_what_kernels_use_passes(tmp_path: Path, body: str) -> None:
    text = f"import math\n\n@triton.jit\ndef kernel(p):\n    {body}\n    tl.store(p, n)\n"
    assert lower(tmp_path, text, p="*i32").placed("tt.store")


GONE = {
    "an evaluated type": 'tl.str_to_ty("i32", None)',
    "what a function keeps": "x: tl.constexpr = tl.flip.used_global_vals",
    "a decorator of the language": "tl.core.builtin(helper)(1)",
    "a compiler": "triton.compile(helper)",
    "a module under another name": "copy.copy(1)",
    "a builtin under another name": "E('1')",
    "a key": "x: tl.constexpr = max((1, 2), key=E)",
    "a manager that is a function": "with helper(1): pass",
    "the visitor's own list": "triton.compiler.code_generator.CodeGenerator.builtin_namespace.setdefault('x', 1)",
    "a text by its width": 'x: tl.constexpr = "%9999999999d" % 1',
}


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_what_is_not_listed_is_refused_by_name(tmp_path: Path, body: str) -> None:
    text = f"""
import copy
E = eval

@triton.jit
def helper(x):
    return x

@triton.jit
def kernel(p):
    {body}
    tl.store(p, helper(1))
"""
    problem = lower(tmp_path, text, p="*i32").problem
    assert problem.code == "not-analyzed"
    assert "out of a kernel's reach" in problem.message or "is not evaluated" in problem.message
    assert problem.at.node > 0


LAYOUTS = (
    "open(PATH, 'w')",
    "NVMMASharedLayout(open(PATH, 'w'))",
    "(open)(PATH, 'w')",
    "NVMMASharedLayout(0)or(open)(PATH,'w')",
    # Triton cuts `,input_rank=1` out before it evaluates the text: the quote is escaped then, and what follows is code.
    r"""NVMMASharedLayout("\,input_rank=1", ", open(PATH, 'w'))#")""",
    r"""NVMMASharedLayout(0)#<"\r+open(PATH, 'w')""",
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["tensordesc", "tensordesc_im2col", "*tensordesc"])
def test_a_layout_is_numbers(tmp_path: Path, kind: str, layout: str) -> None:
    made = tmp_path / "made"
    (tmp_path / "work").mkdir()
    type = f"{kind}<fp32[16],{layout.replace('PATH', repr(str(made)))}>"
    problem = lower(tmp_path / "work", "@triton.jit\ndef kernel(p):\n    tl.static_assert(True)\n", p=type).problem
    assert not made.exists()
    assert "is no Triton type" in problem.message
