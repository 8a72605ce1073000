"""What Python's operators and functions make of a ``tl.constexpr`` and something else: what is told for certain is what
Triton's own class makes of it, and whether that is a ``constexpr`` again.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from host_told import UNTOLD, plain, same

from kernel_analysis.host.evaluate.values import TritonObject, Value, Wrapped
from kernel_analysis.kernels.project import Project

HEAD = """import math, operator
import triton
import triton.language as tl
C = tl.constexpr(4)
"""
CONSTANTS = ["C", "tl.constexpr(True)", "tl.constexpr(-1.5)", "tl.constexpr('a%s')", "tl.constexpr((1, 2))",
             "tl.constexpr(None)", "tl.constexpr(tl.float32)"]  # fmt: skip
OTHERS = ["3", "4", "0", "2.5", "True", "None", "'a%s'", "(1, 2)", "[1]", "{4: 1}", "tl.float32", "tl.float16"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "is",
             "is not", "in", "not in", "and", "or"]  # fmt: skip
OF_ONE = [
    "-{a}", "+{a}", "~{a}", "not {a}", "int({a})", "float({a})", "bool({a})", "abs({a})", "math.sqrt({a})", "len({a})",
    "[*{a}]", "{a}.value", "{a}[0]", "2 < {a} < 5", "5 < {a} < 7", "3 if {a} else 5", "{a} if {a} else 5",
    "tl.constexpr({a})", "isinstance({a}, int)", "{{{a}: 1}}[4]", "{{4: 1}}.get({a})", "{{{a}: 1}}[{a}]",
    "sum([{a}, 1])", "sorted([{a}, 1])", "max([{a}, 1])", "{{{a}, 4}}", "pow({a}, 2)", "round({a})", "str({a})",
    "range({a})[1]", 'f"{{{a}}}"', "[0, 1, 2, 3, 4][{a}]", "triton.cdiv({a}, 3)", "triton.next_power_of_2({a})",
]  # fmt: skip
OF_TWO = [
    "min({a}, {b})", "max({a}, {b})", "max(1, {a}, {b})", "[{a}, {b}][1]", "{a} < {b} < 9", "{{{a}: {b}}}[{a}]",
    "{{5: 6}}.get({a}, {b})", "operator.lt({a}, {b})", "math.pow({a}, {b})", "({a}, {b})[0]",
]  # fmt: skip
_DTYPES = {"fp16": "float16", "fp32": "float32"}


def _texts() -> Iterable[str]:
    for a in CONSTANTS:
        yield from (form.format(a=a) for form in OF_ONE)
    for a, b in itertools.product(CONSTANTS, CONSTANTS + OTHERS):
        for one, other in ((a, b), (b, a)):
            yield from (f"{one} {operator} {other}" for operator in OPERATORS)
            yield from (form.format(a=one, b=other) for form in OF_TWO)


def _told(value: Value) -> Any:
    if isinstance(value, Wrapped):
        inner = _told(value.value)
        return UNTOLD if inner is UNTOLD else ["a constexpr", inner]
    return value.path if isinstance(value, TritonObject) else plain(value)


def _real(value: Any) -> Any:
    kind = type(value).__name__
    if kind == "constexpr":
        return ["a constexpr", _real(value.value)]
    return f"triton.language.{_DTYPES[str(value)]}" if kind == "dtype" else value


def test_what_is_told_of_it_tritons_class_has(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(HEAD, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    scope = project.resolver.scope(project.module(str(tmp_path / "main.py")))
    names: dict[str, Any] = {}
    exec(HEAD, names)  # the tests' own text
    certain, wrong = 0, list[str]()
    for text in _texts():
        with project.resolver.noting() as notes:
            said = _told(project.resolver.evaluator.evaluate(ast.parse(text, mode="eval").body, scope))
        if said is UNTOLD or notes:
            continue
        certain += isinstance(said, list)
        try:
            there = _real(eval(text, dict(names)))  # the tests' own text
        except Exception as error:  # noqa: BLE001 - whatever it raises is what Python says
            there = error
        if not same(said, there):
            wrong.append(f"`{text}` is called certain to be {said!r}, and Python has {there!r}")
    assert not wrong, "\n".join(wrong)
    assert certain > 500
