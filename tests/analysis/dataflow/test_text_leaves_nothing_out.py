"""The text witness walks every expression of every statement, and knows of each whether it is evaluated at all."""

from __future__ import annotations

import ast
import copy
from itertools import product
from pathlib import Path

import pytest
from dataflow_helpers import HEAD, facts_of, verdicts

from kernel_analysis.dataflow.text.expression_flow import TextExpressions
from kernel_analysis.dataflow.text.statements import Statements
from kernel_analysis.dataflow.text.summaries import TextSummaries
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project

STATEMENTS = """
x = n
x: n = n
x[n] = n
x.y[n] = n
n(n)[n] = n
x += n
x[n] += n
x, *y = n
if n: pass
elif n: pass
while n: pass
while n: x
else: x
for x in tl.static_range(n, n, n): x
for x in tl.range(n, num_stages=n): x
for x in range(n): x
else: x
for x in n: x
assert n, n
with tl.f(n) as x: x
tl.f(n, *n, k=n, **n)
x = n and n or n
x = not n, -n, n + n, n < n < n
x = n if n else n
x = n[n], n[n:n:n], n.y
x = [n, *n], (n, *n), {n}, {n for x in n if n}
x = {n: n}
x = [n for x in n if n if n]
x = [n for x in (n, n) if n if n]
x = [n for x in (n, n)]
x = (n for x in n)
x = f"{n} {n:{n}}"
x = (x := n)
x = lambda: n
x = {n: n for x in n}
x = yield_(n)
return n
"""


def statements() -> list[ast.stmt]:
    return ast.parse(STATEMENTS.replace("return n", "")).body + [ast.Return(ast.Name("n", ast.Load()))]


def variants() -> list[str]:
    """Each statement with a call in the place of one of its names: ``x: put(b) = n``."""
    found: list[str] = []
    for statement in statements():
        nodes = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and n.id in ("n", "x")]
        for number, name in enumerate(nodes):
            if not isinstance(name.ctx, ast.Load):
                continue
            changed = copy.deepcopy(statement)
            inner = [n for n in ast.walk(changed) if isinstance(n, ast.Name) and n.id in ("n", "x")][number]
            inner.id = "put(b)"
            found.append(ast.unparse(changed))
    return found


def test_all_kinds_have_a_sample() -> None:
    kinds = {type(node) for statement in statements() for node in ast.walk(statement)}
    known = {*Statements._statements, *TextExpressions._expressions}  # pyright: ignore[reportPrivateUsage]
    assert known - kinds - {ast.Pass} == set()


@pytest.mark.parametrize("statement", variants())
def test_every_expression_is_walked(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "kernels.py"
    body = statement.replace("\n", "\n    ")
    helper = "@triton.jit\ndef put(p):\n    tl.store(p, 1)\n\n\n"
    file.write_text(f"{HEAD}{helper}@triton.jit\ndef kernel(n, x, b):\n    {body}\n", encoding="utf-8")
    project = Project([str(tmp_path)], [str(tmp_path)])
    function = next(f for f in project.module(str(file)).functions if f.name == "kernel")
    summary = TextSummaries(cut(project, function)).of(0, frozenset(), frozenset({"b"}))
    assert summary.may("write", "b", "pointer", table=False, tables=False)


CONTEXTS = (
    "FLAG and {}", "not (not FLAG or {})", "0 < FLAG < {}", "{} if FLAG else 0", "0 if not FLAG else {}",
    "[{} for i in (0,) if FLAG]", "[i for i in (0,) if FLAG if {}]", "[i for i in (0,) if (FLAG and {})]",
)  # fmt: skip
EFFECTS = {
    "put(b)": "tl.store(a, 1.0)",  # it does it
    "same((q := b))": "tl.store(q, 1.0)",  # it binds what is then stored to
}


@pytest.mark.parametrize(("context", "effect", "flag"), list(product(CONTEXTS, EFFECTS, (False, True))))
def test_what_may_not_be_evaluated(tmp_path: Path, context: str, effect: str, flag: bool) -> None:
    """What one compile did or left out says nothing of launches that choose otherwise."""
    text = f"""
@triton.jit
def put(p):
    tl.store(p, 1.0)
    return 5

@triton.jit
def same(p):
    return 5

@triton.jit
def kernel(a, b, FLAG: tl.constexpr):
    q = a
    x = {context.format(effect)}
    {EFFECTS[effect]}
"""
    types = {"a": "*fp32", "b": "*fp32"}
    got = [verdicts(facts_of(tmp_path, text, {"FLAG": one}, **types)) for one in (flag, not flag)]
    does = {name: any("w" in each[name].replace("?w", "") for each in got) for name in types}
    assert does == {"a": True, "b": True}
    assert {name: "w" in got[0][name] for name in types} == does


def test_what_a_default_chooses(tmp_path: Path) -> None:
    """Python evaluates it before any compile, so that no compile shows which way it went."""
    text = """
import os

FLAG = tl.constexpr(os.environ.get("FLAG") == "1")

@triton.jit
def put(p):
    tl.store(p, 1.0)

@triton.jit
def leave(p):
    return p

@triton.jit
def either(p, F: tl.constexpr = (put if FLAG else leave)):
    F(p)

@triton.jit
def kernel(a, b):
    tl.store(a, 1.0)
    either(b)
"""
    assert "?w" in verdicts(facts_of(tmp_path, text, a="*fp32", b="*fp32"))["b"]


def test_a_helpers_global_is_not_the_kernels_parameter(tmp_path: Path) -> None:
    """Two tests of one name that are about two things rule nothing out."""
    text = """
import os

MODE = tl.constexpr(int(os.environ.get("MODE", "0")))

@triton.jit
def put(p):
    if MODE == 2:
        tl.store(p, 1.0)

@triton.jit
def kernel(a, b, MODE: tl.constexpr):
    tl.store(a, 1.0)
    if MODE == 1:
        put(b)
"""
    assert "?w" in verdicts(facts_of(tmp_path, text, {"MODE": 0}, a="*fp32", b="*fp32"))["b"]
