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
