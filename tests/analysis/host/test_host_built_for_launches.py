"""What a host function builds of lists, tuples and numbers before it launches with it: every one or two steps, with
every way to read it, each run by real Python. Where the kind of what is passed is certain, Python passes that."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_python import answers
from test_host_reached import HEAD

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer

LIST = (
    "s += [2.5]", "s[0] = 2.5", "s.append(True)", "s = s + [True]", "t = s + [True]\n    s.insert(0, 2.5)\n    s = t",
    "s *= 2", "s[:] = [True, 2, 3]", "s.insert(0, 2.5)",
    "del s[0]", "t = s\n    t += [2.5]", "for i in (1, 2):\n        s += [2.5]", "if len(s) > 1:\n        s += [True]",
    "def f():\n        s[0] = True\n    f()", "s.reverse()", "s, t = [True, 2, 3], s", "(s := [2.5, 1, 2])",
)  # fmt: skip
TUPLE = ("s += (2.5,)", "s = (*s, True)", "s *= 2", "s = s[1:]", "for i in (1, 2):\n        s += (2.5,)",
         "if len(s) > 1:\n        s += (True,)", "s = s[::-1]", "s, t = (True, 2, 3), s", "s = (2.5, *s)")  # fmt: skip
NUMBER = (
    "n += 1", "n *= 2.5", "n = -n", "(n := 2.5)", "n = bool(n)", "n //= 2", "n, m = 2.5, n",
    "for n in (1, 2.5):\n        pass", "if n > 1:\n        n = True", "while n < 2:\n        n += 0.5",
    "try:\n        n = 2.5\n    finally:\n        pass", "def f():\n        nonlocal n\n        n = True\n    f()",
)  # fmt: skip
READ_ITEMS = ("s[0]", "s[-1]", "max(s)", "sum(s)", "len(s)", "[*s][0]", "tuple(s)[1]", "s[len(s) - 1]")
READ_NUMBER = ("n", "n + 1", "((n := 2.5), n)[1]", "max(n, 1)", "[n, (n := True)][0]", "(n := n) and n")
TYPES = {"int": ("i32", "i64", "u64", "constexpr"), "float": ("fp32",), "bool": ("i1",)}
STARTS = {
    "s = [1, 2, 3, 4]": (LIST, READ_ITEMS), "s = (1, 2, 3, 4)": (TUPLE, READ_ITEMS), "n = 1": (NUMBER, READ_NUMBER),
}  # fmt: skip


@pytest.mark.parametrize(
    ("start", "first"), [(start, first) for start, (steps, _) in STARTS.items() for first in ("pass", *steps)]
)
def test_what_is_certain_is_so(start: str, first: str, tmp_path: Path) -> None:
    steps, reads = STARTS[start]
    certain = 0
    given = ", ".join(reads)
    for second in steps:
        body = "\n    ".join((start, first, second))
        run = f"GIVEN = []\n\n\ndef go():\n    {body}\n    GIVEN.extend(({given}))\n\n\ngo()\n"
        (seen,) = answers({"main": run}, "main", ["[type(n).__name__ for n in GIVEN]"], "later")
        (_, passed) = seen[0]
        names = [f"p{place}" for place, _ in enumerate(reads)]
        kernel = HEAD.replace("def kernel(n)", f"def kernel({', '.join(names)})")
        (tmp_path / "main.py").write_text(
            f"{kernel}def go():\n    {body}\n    kernel[(1,)]({given})\n", encoding="utf-8"
        )
        project = Project([str(tmp_path)], [], patient=True)
        (function,) = project.module(str(tmp_path / "main.py")).functions
        told = infer(project, function, cut(project, function))[0]
        for name, read, kind in zip(names, reads, passed, strict=True):
            certain += told.evidence[name].certain
            assert not told.evidence[name].certain or told.types[name] in TYPES[kind], (body, read, told, kind)
    assert certain or first != "pass" or ":=" in given
