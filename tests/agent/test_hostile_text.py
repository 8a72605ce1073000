"""Text that nobody types: each costs at most the function that it is in, which says why, within a moment. The agent
lives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.kernels import ADD
from agent.process import Agent

# The machine may be busy with other things; what is not bounded takes minutes and hours.
SECONDS = 40


@dataclass(frozen=True)
class Case:
    """``text`` stands in a file with the kernel ``add``, which must be analysed all the same. ``bad``: what becomes of
    the kernel of that name; ``said``: in a finding, or in the reasons of ``bad``; ``before``: it comes before
    ``add``."""

    text: str
    bad: str | None = None
    said: str = ""
    before: bool = False


def kernel(body: str, name: str = "bad", parameters: str = "p, N: tl.constexpr") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"\n\n@triton.jit\ndef {name}({parameters}):\n{lines}"


def pragma(text: str) -> Case:
    return Case(f"# {text}\n", None, "too long to be read", before=True)


def nested(depth: int, inner: str = "pass") -> str:
    return "\n".join(" " * i + "if N:" for i in range(depth)) + "\n" + " " * depth + inner


CASES: dict[str, Case] = {
    # Nesting.
    "parentheses": Case("X = " + "(" * 90_000 + "1" + ")" * 90_000 + "\n", None, "too many nested parentheses"),
    "more parentheses": Case("X = " + "(" * 100_000 + "1" + ")" * 100_000 + "\n", None, "too long to be read"),
    "parentheses in a kernel": Case(kernel("tl.store(p, " + "(" * 100_000 + "1)"), None, "too many nested parentheses"),
    "open parentheses": Case("X = " + "(" * 100_000 + "\n", None, ""),
    "attributes": Case("X = a" + ".a" * 10_000 + "\n"),
    "attributes in a kernel": Case(kernel("tl.store(p, tl" + ".a" * 10_000 + ")"), "failed", "nested too deeply"),
    "calls in a kernel": Case(kernel("tl.store(p" + ")(p" * 20_000 + ")"), "failed", "nested too deeply"),
    "calls of calls in a kernel": Case(kernel("x = tl" + "()" * 20_000, "bad"), "failed", "nested too deeply"),
    "items in a kernel": Case(kernel("tl.store(p" + "[0]" * 20_000 + ", 1)"), "failed", "nested too deeply"),
    "minus": Case(kernel("tl.store(p, " + "-" * 50_000 + "1)"), None, "nested too deeply for Python"),
    "lambdas": Case(kernel("x = " + "lambda: " * 10_000 + "1"), None, "nested too deeply for Python"),
    "choices": Case(kernel("tl.store(p, " + "1 if N else " * 20_000 + "1)"), None, "nested too deeply for Python"),
    "sums": Case("X = 1" + " + 1" * 20_000 + kernel("tl.store(p, X)"), "failed", "too much work"),
    "sums in a kernel": Case(kernel("tl.store(p, 1" + " + N" * 900 + ")"), "analyzed"),
    "defaults": Case(kernel("pass", parameters="p, N: tl.constexpr = 1" + " + 1" * 5000)),
    "a sum in many statements": Case("X = 0\n" + "X = X + 1\n" * 3000 + "def f(x):\n    add[(1,)](x, x, x, X, BLOCK=X)\n"),
    "decorators of sums": Case("@f(1" + " + 1" * 5000 + ")\ndef g(): pass\n"),
    "decorators of attributes": Case("@triton" + ".jit" * 5000 + "\ndef g(p): pass\n"),
    "launches of attributes": Case("def f(x):\n    add" + ".a" * 5000 + "[(1,)](x)\n    add[x" + ".a" * 5000 + "](x)\n"),
    "launch of sums": Case("def f(x):\n    add[(1,)](x, x, x, 1" + " + 1" * 5000 + ", BLOCK=64)\n"),
    "annotations": Case(kernel("pass", parameters="p: a" + "[a" * 60 + "]" * 60), "analyzed"),
    "ifs": Case(kernel(nested(99)), None, "too many levels of indentation"),
    "fewer ifs": Case(kernel(nested(90, "tl.store(p, 1)")), "analyzed"),
    "many ifs": Case(kernel(nested(1500)), None, "too many levels of indentation"),
    "defs": Case("".join(" " * i + f"def f{i}():\n" for i in range(95)) + " " * 95 + "pass\n"),
    "elif": Case("def h(N):\n    if N:\n        x = 1\n" + "    elif N == 2:\n        x = 2\n" * 3000),
    "formats": Case(kernel("x = " + "f'{" * 2 + "1" + "}'" * 2), None, "f-string"),
    # Length.
    "tuple": Case("X = (" + "1," * 50_000 + ")" + kernel("tl.store(p, X[3])"), "failed", "too much work"),
    "tuple in a kernel": Case(kernel("x = (" + "1," * 50_000 + ")\ntl.store(p, x[3])"), "?"),
    "a line of many items": Case("X = [" + "1," * 1_900_000 + "]\n", None, "too long to be read"),
    "a line of very many items": Case("X = [" + "1," * 3_000_000 + "]\n", None, ""),
    "statements on a line": Case("x = 1; " * 200_000 + "\n", None, "too long to be read"),
    "formatted parts": Case("X = f'" + "{1}" * 60_000 + "'\n"),
    "names": Case("x" * 1_000_000 + " = 1\n" + kernel("tl.store(p, " + "x" * 1_000_000 + ")"), "analyzed"),
    "name of a kernel": Case(kernel("tl.store(p, 1)", name="k" * 200_000)),
    "parameters": Case(kernel("pass", parameters=", ".join(f"a{i}" for i in range(20_000))), "failed", "20,000 parameters"),
    "functions": Case("".join(f"def f{i}(): pass\n" for i in range(100_000)), None, "too long to be read"),
    "functions, one broken": Case("".join(f"def f{i}(): pass\n" for i in range(20_000)) + "def f(:\n", None, "invalid syntax"),
    "broken functions": Case("def f(:\n" * 20_000, None, "invalid syntax"),
    "decorators": Case("@triton.heuristics({})\n" * 2000 + kernel("pass", "g").lstrip()),
    "blank lines": Case("\n" * 1_000_000, before=True),
    "comments": Case("# jit(\n" * 400_000, before=True),
    "a comment": Case("# " + "(" * 1_000_000 + "\n", before=True),
    "tabs": Case("if 1:\n" + "\t" * 500_000 + "x = 1\n"),
    "continued lines": Case("X = 1" + "\\\n" * 90_000 + "\n"),
    "quotes": Case("'''\ndef f(\n" * 3000, None, "unterminated"),
    "at signs": Case("@" * 100_000, None, "invalid syntax"),
    "assignments": Case("x = " * 20_000 + "1\n"),
    "globals": Case("def f():\n    global " + "a, " * 50_000 + "a\n"),
    "launches": Case("def h(x):\n" + "    add[(1,)](x, x, x, 1, BLOCK=64)\n" * 5000),
    "star imports": Case("".join(f"from m{i} import *\n" for i in range(1000)) + kernel("tl.store(p, zz)"), "failed", "no statement of the file binds it"),
    "dots of an import": Case("from " + "." * 100_000 + "x import y\n" + kernel("tl.store(p, y)"), "failed", "was not found"),
    "name of a module": Case("import " + "a" * 5000 + "\n" + kernel("tl.store(p, " + "a" * 5000 + ".b)"), "failed", "was not found"),
    "names for names": Case("".join(f"a{i + 1} = a{i}\n" for i in range(20_000)) + kernel("tl.store(p, a20000)"), "failed", "too much work"),
    "unclosed import": Case("from x import (\n" + "    a,  # one\n" * 200 + "\ndef f(): pass\n", None, "was never closed"),
    "kernels in strings": Case("f('''\nimport triton\n@triton.jit\ndef f(p): pass\n''')\n" * 500),
    "digits": Case("X = " + "9" * 100_000 + "\n" + kernel("tl.store(p, X)"), "failed", "syntax error"),
    "hexadecimal digits": Case("X = 0x" + "f" * 500_000 + "\nY = X * X\nZ = X // (X - 1) % 7\n" + kernel("tl.store(p, Z)"), "failed", "too much work"),
    # Helpers.
    "chain of helpers": Case(
        "".join(f"@triton.jit\ndef h{i}(p): h{i + 1}(p)\n" for i in range(260)) + "@triton.jit\ndef h260(p): tl.store(p, 1)\n",
        None, "calls more than 250 jit functions",
    ),
    "tree of helpers": Case(
        "".join(f"@triton.jit\ndef h{i}(p):\n    h{i + 1}(p)\n    h{i + 1}(p)\n" for i in range(40))
        + "@triton.jit\ndef h40(p): tl.store(p, 1)\n",
    ),
    # Comments that say something.
    "pragma": pragma("triton-ls: " + "x" * 200_000),
    "pragma of brackets": pragma("triton-ls: n = " + "(" * 200_000),
    "pragma of marks": pragma("triton-ls:" + " triton-ls:" * 330_000),
    "pragma of items": pragma("triton-ls: " + "n: i32, " * 50_000),
    "pragma of digits": pragma("triton-ls: BLOCK = " + "9" * 100_000),
    "run pragma": pragma("triton-run: " + "x" * 200_000),
    "run pragma of minus": pragma("triton-run: n = " + "-" * 100_000 + "1"),
    "run pragma of sums": pragma("triton-run: n = 1" + " + 1" * 50_000),
    "ignored": Case("# triton-ls: ignore[" + "x," * 100_000 + "\n", before=True),
    "short pragma of brackets": Case("# triton-ls: n: " + "(" * 4000 + "\n", None, "Triton has no type", before=True),
    "short pragma of minus": Case("# triton-ls: n = " + "-" * 9000 + "1\n", None, "is no value", before=True),
    "short run pragma of sums": Case("# triton-run: n = 1" + " + 1" * 2000 + "\n", None, "can't be read as a value", before=True),
    "run pragma of products": Case("# triton-run: n = 'a' * 10000000000\n", None, "it is no number", before=True),
}  # fmt: skip


@pytest.fixture(scope="module")
def agent(root: Path) -> Iterator[Agent]:
    """One for all of them: whoever ends it fails, and so do those behind."""
    with Agent(root) as process:
        yield process


@pytest.mark.parametrize("name", CASES)
@pytest.mark.slow("texts of megabytes, and helpers without end that only a budget ends")
def test_hostile_text_costs_at_most_its_function(name: str, agent: Agent, root: Path) -> None:
    case = CASES[name]
    head, _, body = ADD.partition("@triton.jit")
    text = f"{head}{case.text}@triton.jit{body}" if case.before else f"{ADD}\n\n{case.text}"
    file = root / "hostile.py"
    start = time.monotonic()
    agent.notify("document", {"file": str(file), "text": text})
    # As the server has it, but for less: many slow functions can't hold up a file.
    budget = {"seconds": 3, "share": 0.02, "reason": "the functions before it took too long"}
    answer = agent.analyze(file, budget=budget)
    assert time.monotonic() - start < SECONDS
    agent.notify("document", {"file": str(file), "text": None})
    reports: dict[str, dict[str, Any]] = answer.reports
    if len(text) <= 4_000_000:
        assert reports["add"]["status"] == "analyzed"
    said = [f["message"] for f in answer.findings] + [p["message"] for r in reports.values() for p in r["problems"]]
    assert any(case.said in message for message in said) or not case.said
    if case.bad is not None:
        assert case.bad in (reports["bad"]["status"], "?")
    assert not any("the analysis failed on this function" in message for message in said)
    assert all(len(message) < 3_000_000 for message in said)


@pytest.mark.slow("an agent of its own is started, and imports Triton")
def test_the_first_text_is_read_as_every_other(root: Path) -> None:
    """Triton, which is imported for the first kernel, may have Python go deeper."""
    text = f"{ADD}\n\n{CASES['calls in a kernel'].text}"
    with Agent(root) as agent:
        (root / "deep.py").write_text(text, encoding="utf-8")
        first = agent.analyze(root / "deep.py")
        again = agent.show(root / "deep.py", f"{text}# a comment\n")
    assert [f["message"] for f in first.findings] == [f["message"] for f in again.findings]
    assert {*first.reports} == {*again.reports} == {"add", "bad"}
