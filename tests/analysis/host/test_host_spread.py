"""What a launch passes behind ``*args`` and beside ``**keywords``: every way to make them with every call that spreads
them out, each run by real Python. What is certain of a parameter is what is passed for it in every run, and one that is
left out for certain is passed in none.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.host.evaluate.argument import UNKNOWN
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched

PARAMETERS = "abcdefghijklmn"
KERNEL = f"import triton\n\n\n@triton.jit\ndef k({', '.join(f'{name}=0' for name in PARAMETERS)}):\n    pass\n\n\n"
ROW = {
    "plain": "s = [1, 2]",
    "added to": "s = [1]\ns += [2]",
    "added to, a tuple": "s = (1,)\ns += (True, 2)",
    "added to in one case": "s = (1,)\nif c:\n    s += (True,)",
    "another in one case": "s = (1, 2)\nif c:\n    s = make()[:1]",
    "as long in each case": "s = (1, 2) if c else (True, 3)",
    "one of two": "s = (1, 2) if c else (1,)",
    "appended to": "s = [1]\ns.append(True)",
    "appended to in a loop": "s = [1]\nfor i in range(c):\n    s.append(i)",
    "handed on": "s = [1]\ngrow(s)",
    "a second name": "s = [1]\nt = s\nt += [True]",
    "multiplied": "s = [1]\ns *= c + 1",
    "cut": "s = [1, 2, True]\ndel s[c + 1:]",
    "filtered": "s = [i for i in (1, 2, 0) if i != c]",
    "a comprehension": "s = [i for i in (1, 2)]",
    "what a function gives": "s = make()",
    "what a function of its own gives": "s = [*make(), *given(c)]",
    "of the module": "s = ROW",
    "of the module, changed": "ROW.append(c)\ns = ROW",
    "of a class": "s = Held().row",
    "a parameter's": "s = given(c)",
    "a default": "s = kept()",
}
TABLE = {
    "plain": "d = {'g': 1}",
    "one more": "d = {'g': 1}\nd['h'] = 2",
    "one more in one case": "d = {'g': 1}\nif c:\n    d['h'] = 2",
    "merged": "d = {'g': 1}\nd |= {'h': 2}",
    "merged anew": "d = {'g': 1}\nd = d | {'h': c}",
    "updated": "d = dict(g=1)\nd.update(h=2)",
    "updated by a function": "d = {'g': 1}\nfill(d)",
    "taken out": "d = {'g': 1, 'h': 2}\nif c:\n    d.pop('h')",
    "of the module": "d = TABLE",
    "of the module, changed": "TABLE['h'] = c\nd = TABLE",
    "of the module, copied": "d = dict(TABLE)\nd['g'] = 2.5",
    "of a class": "d = Held().table",
    "what a function gives": "d = table(c)",
    "a comprehension": "d = {n: 1 for n in ('g', 'h')[c:]}",
    "a default": "d = kept_table()",
}
AROUND = """
ROW = [1]
TABLE = {'g': 1}
{others}

def make():
    return eval('[1, 2]')


def grow(s):
    s.append(True)


def fill(d):
    d['h'] = 2


def given(c):
    return [1, 2][:1 + c]


def kept(s=[1]):
    s.append(2)
    return s


def table(c):
    return {'g': 1, 'h': 2} if c else {'g': 1}


def kept_table(d={'g': 1}):
    d['h'] = len(d)
    return d


class Held:
    def __init__(self):
        self.row = [1]
        self.row.extend([2])
        self.table = {'g': 1}
        self.fill()

    def fill(self):
        self.table['h'] = 2.5


def on(*a, **n):
    k[(1,)](*a, None, **n)


def on_with(first, second=2.5, *rest, **n):
    k[(1,)](first, second, *rest, **n)


def twice(*a, **n):
    on(*a, True, **n)


"""
OTHERS = {"nothing": "", "the module changes them": "ROW.append(True)\nTABLE['h'] = 2\n"}
OF_ROW = (
    "k[(1,)](*s, 2.5)", "k[(1,)](None, *s, 2.5, True)", "k[(1,)](*s, *s, 2.5)", "k[(1,)](*s, *(2.5, None))",
    "k[(1,)](*[*s, 2.5])", "k[(1,)](*(2.5, *s), None)", "k[(1,)](*s, n=2.5)", "k[(1,)](*tuple(s), 2.5)",
    "k[(1,)](*reversed(s), 2.5)", "k[(1,)](*s[1:], 2.5)", "on(*s)", "on(*s, 2.5)", "on_with(*s)", "on_with(*s, None)",
    "twice(*s)", "args = (*s, 2.5)\nk[(1,)](*args)", "args = [*s]\nargs.append(2.5)\nk[(1,)](*args, None)",
    "args = [None]\nargs += s\nk[(1,)](*args, 2.5)",
)  # fmt: skip
OF_TABLE = (
    "k[(1,)](True, **d)", "k[(1,)](**{**d, 'f': 2.5})", "k[(1,)](**d, f=2.5)", "on(**d)", "on_with(1, **d)",
    "twice(1, **d, f=2.5)", "k[(1,)](**dict(d, f=None))", "k[(1,)](**d | {'f': None})",
)  # fmt: skip
CASES = [
    *((f"row-{name}", made, OF_ROW) for name, made in ROW.items()),
    *((f"table-{name}", made, OF_TABLE) for name, made in TABLE.items()),
]


class Kernel:
    """Writes down what it is launched with."""

    def __init__(self) -> None:
        names: dict[str, Any] = {}
        exec(f"def k({', '.join(f'{name}=0' for name in PARAMETERS)}): ...", names)  # the tests' own text
        self.signature = inspect.signature(names["k"])
        self.launches: list[dict[str, Any]] = []

    def __getitem__(self, grid: object) -> Callable[..., None]:
        return lambda *a, **n: self.launches.append(self.signature.bind(*a, **n).arguments)


def seen(text: str) -> list[dict[str, Any]]:
    kernel = Kernel()
    exec(compile(f"{text}\n\ngo(False)\ngo(True)\n", "main.py", "exec", dont_inherit=True), {"k": kernel})
    return kernel.launches


@pytest.mark.parametrize("others", OTHERS)
@pytest.mark.parametrize(("made", "calls"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_what_is_passed_behind_what_is_spread_out(
    made: str, calls: tuple[str, ...], others: str, tmp_path: Path
) -> None:
    certain = 0
    for call in calls:
        steps = "\n".join((made, call)).replace("\n", "\n    ")
        text = f"{AROUND.replace('{others}', OTHERS[others])}def go(c):\n    {steps}\n"
        (tmp_path / "main.py").write_text(KERNEL + text, encoding="utf-8")
        project = Project([str(tmp_path)], [], patient=True)
        function = project.module(str(tmp_path / "main.py")).functions[0]
        said = launched.arguments(project, function, project.launches_of(function))
        lines = [launch.call.lineno for launch in project.launches_of(function)]
        there = KERNEL + text
        inside = there[: there.index("def go")].count("\n") + 1
        # Of the launches in the helpers, those that `go` leads to.
        ways = [
            passed
            for launch, passed, line in zip(project.launches_of(function), said, lines, strict=True)
            if line > inside or launch.via is not None and launch.place[1] > inside
        ]
        assert ways or call.startswith(("on", "twice")), call
        for passed, real in itertools.product(ways, seen(text)):
            for name in PARAMETERS:
                certain += _held(passed.get(name), name in real, real.get(name), f"{call}: {name}")
    assert certain or not made.endswith(("[1, 2]", "1}"))


def _held(said: Any, passed: bool, value: Any, where: str) -> bool:
    if said is None:
        assert not passed, f"{where} is left out for certain, and {value!r} is passed"
        return True
    if said.varies or not said.sure:
        return False
    assert passed, f"{where} is {said}, and nothing is passed"
    kind = "none" if value is None else type(value).__name__
    assert said.kind == kind, f"{where} is {said}, and {value!r} is passed"
    assert said.value is UNKNOWN or repr(said.value) == repr(value), f"{where} is {said}, and {value!r} is passed"
    return True
