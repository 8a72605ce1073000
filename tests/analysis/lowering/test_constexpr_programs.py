"""What random programs of ``constexpr_function``s give is what Python gives, called as Triton calls them, or they are
not evaluated."""

from __future__ import annotations

import ast
import copy
import math
import sys
from collections import Counter
from types import CodeType
from typing import Any

import pytest
from constexpr_programs import HEAD, Programs
from triton.language import constexpr
from triton.language.core import _unwrap_if_constexpr as taken  # pyright: ignore

from kernel_analysis.lowering.front.constexpr import ConstexprCall
from kernel_analysis.lowering.front.kept_lists import KeptLists
from kernel_analysis.lowering.gate import gate
from kernel_analysis.lowering.gate.harmless import NotEvaluable
from kernel_analysis.source.slice import SliceFunction
from kernel_analysis.source.tree.syntax import descend

ARGUMENTS = ((1, 2, [3, 1, 2]), (0, -3, []), (4, 0.5, [0, 1]), (2, True, [2, 2, 5, 7]))


class _TooLong(BaseException):
    """No `except` of the program takes it."""


class _Counted(ast.NodeTransformer):
    """Each turn of a loop and each call is counted."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.For | ast.While | ast.FunctionDef):
            node.body = [*ast.parse("counted()").body, *node.body]
        return node


class _Called:
    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any, **more: Any) -> Any:
        return self.function(*map(taken, args), **{name: taken(value) for name, value in more.items()})


def python(program: CodeType, functions: list[str]) -> Any:
    left = 500

    def counted() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise _TooLong

    names: dict[str, Any] = {"constexpr": constexpr, "math": math, "counted": counted}
    exec(program, names)
    for name in functions:
        names[name] = _Called(names[name])
    return names["main"]


def ours(functions: list[ast.FunctionDef]) -> Any:
    lists = KeptLists()
    head: dict[str, Any] = {"constexpr": constexpr}
    exec(HEAD, head)
    scope: dict[str, Any] = {"constexpr": constexpr, "math": gate.resolve("math")}
    for name, value in head.items():
        if name.isupper():
            kept = lists.made(value) if isinstance(value, list) else value
            scope[name] = lists.made_dict(value.items()) if isinstance(value, dict) else kept
    for node in functions:
        made = SliceFunction("constexpr_function", "f.py", "f", node.name, node.name, node, tuple(descend(node)), "")
        scope[node.name] = ConstexprCall(made, scope, lists)
    return scope["main"]


def shown(value: Any, deep: int = 0) -> str:
    """With all types, the order of what has one, and without the ``constexpr`` around, which Triton takes away."""
    value = value.value if isinstance(value, constexpr) else value
    if deep < 4 and type(value) in (list, tuple, set):
        parts = [shown(part, deep + 1) for part in value]
        return f"{type(value).__name__}({', '.join(sorted(parts) if isinstance(value, set) else parts)})"
    if deep < 4 and type(value) is dict:
        return f"dict({', '.join(f'{shown(k, deep + 1)}: {shown(v, deep + 1)}' for k, v in value.items())})"
    return repr(value) if deep < 4 else "..."


def differences(text: str, told: Counter[str]) -> list[str]:
    """Where we say something, and something else than Python."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 12_000))  # as where kernels are compiled
    found: list[str] = []
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    counted = ast.fix_missing_locations(_Counted().visit(ast.parse(text)))
    program = compile(counted, "<program>", "exec")
    for args in ARGUMENTS:
        given = copy.deepcopy(args)
        main = python(program, [node.name for node in functions])
        try:
            meant = shown(main(*given))
        except (_TooLong, Exception):  # noqa: BLE001 - no launch gets there
            continue
        try:
            said = shown(ours(functions)(*copy.deepcopy(args)))
        except NotEvaluable:
            told["not evaluated"] += 1
            continue
        except Exception as error:  # noqa: BLE001 - which is no error of the user's
            said = f"{type(error).__name__}: {error}"
        told["evaluated"] += 1
        if said != meant:
            found.append(f"main{args}: {said}, and in Python {meant}\n{text[len(HEAD) :]}")
    return found


def compared(seeds: range, rare: float) -> Counter[str]:
    told: Counter[str] = Counter()
    for seed in seeds:
        text = Programs(seed, rare).program()
        try:
            wrong = differences(text, told)
        except SyntaxError:  # a name that is bound before it is said to be another's
            continue
        assert not wrong, f"seed {seed}: {wrong[0]}"
    return told


@pytest.mark.slow("180 programs, each compiled")
@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("rare", [0.0, 0.02, 0.2])
def test_random_programs(rare: float) -> None:
    told = compared(range(60), rare)
    assert told["evaluated"] > 20, told


LIVE = {
    "what a loop adds, by enumerate": "for i, x in enumerate(u):\n    if i < 3:\n        u.append(x)\nreturn u",
    "what a loop adds, by zip": "for x, y in zip(u, v):\n    if len(u) < 6:\n        v.append(x)\nreturn v",
    "what a loop takes away, by reversed": "for x in reversed(u):\n    u.pop()\n    v.append(x)\n    break\nreturn v",
    "values of a dict that are changed": "for k, x in d.items():\n    d['y'] = 9\n    v.append(x)\nreturn v",
    "values alone": "for x in d.values():\n    d['y'] = 9\n    v.append(x)\nreturn v",
    "a generator, of names that change": "for x in (y + a for y in u):\n    a = 10\n    v.append(x)\nreturn v",
    "a generator, of a name that a comprehension has": "for x in (a for a in u):\n    v.append((x, a))\nreturn v",
    "any, up to the first": "b = any(u.append(x) or x > 1 for x in (1, 2, 3))\nreturn (b, u)",
    "any, no further": "return any(10 % x == 0 for x in (2, 0))",
    "all, up to the first": "b = all(u.append(x) or x < 2 for x in (1, 2, 3))\nreturn (b, u)",
    "extended while it counts": "u.extend(len(u) for x in range(3))\nreturn u",
    "extended by itself": "u.extend(u)\nreturn u",
    "handed on, which makes it another": "t = changed(u)\nreturn (u, t)",
    "a default, given back and changed": "w = kept()\nw.append(1)\nreturn kept()",
    "a default, of two calls": "return kept() is kept()",
    "one list at two places": "w = [v, v]\nw[0].append(1)\nreturn w",
    "one list at two places, handed on": "w = same([v, v])\nw[0].append(1)\nreturn w",
    "a sum of constexprs": "return isinstance(sum(WRAPS), int)",
    "the largest of constexprs": "return isinstance(max(WRAPS), int)",
    "taken out of a list of constexprs": "return isinstance(list(WRAPS).pop(), int)",
    "a constexpr that is added to": "w = list(WRAPS)\nw[0] += 1\nreturn isinstance(w[0], int)",
    "constexprs as keys": "return len({x: 1 for x in (WRAPPED, 3)})",
    "constexprs in a set": "return len({x for x in (WRAPPED, 3)})",
    "a set with a constexpr": "return len({WRAPPED, 3})",
    "a dict with a constexpr": "return len({WRAPPED: 1, 3: 2})",
    "a key that is a constexpr": "d[WRAPPED] = 1\nreturn d.get(3)",
    "a text with a constexpr": "return f'{WRAPPED}'",
    "a constexpr as text": "return str(WRAPPED)",
    "a dict that is called with a constexpr": "return dict([(WRAPPED, 1)]).get(3)",
    "a constexpr that is something": "return WRAPPED is 3 or WRAPPED in {3: 1}",
    "an argument that ours does not take": "return max((), default=4)",
    "another": "return sum([1], start=2) + int('11', base=2)",
    "a function as text": "return f'{max}' == 'max'",
    "ours as text": "return len(f'{kept}') > 0",
    "a method as text": "return 'append' == str(u.append)",
}


@pytest.mark.parametrize("name", LIVE)
def test_what_was_taken_for_something_else(name: str) -> None:
    body = LIVE[name].replace("\n", "\n    ")
    text = f"""{HEAD}
def kept(w=[]):
    return w

def same(w):
    return w

def changed(w):
    w.append(0)
    return w

def main(a, b, u):
    v = [2, 1]
    d = {{'x': 1, 'y': 2}}
    {body}
"""
    told: Counter[str] = Counter()
    assert not differences(text, told)
    assert told
