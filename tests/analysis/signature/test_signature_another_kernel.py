"""A launch of what may be another kernel: every way to make a name another with every way to launch what it stands for.
Real Python launches the other one alone, and nothing that the launch passes is certain for this one."""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from kernel_analysis.host.evaluate.argument import HostArgument
from kernel_analysis.host.evaluate.values import Jit
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched

HEAD = "import contextlib\nimport functools\nimport sys\n"
KERNELS = "import triton\n\n\n@triton.jit\ndef one(x, n):\n    pass\n\n\n@triton.jit\ndef other(x, n):\n    pass\n\n\n"
MADE = {
    "again": "N = one\nN = other\ndef run():\n    {launch}\n",
    "by a condition": "N = one\nif 1 + 1 == int('2'):\n    N = other\ndef run():\n    {launch}\n",
    "by a parameter": (
        "def go(flag=False):\n    N = other\n    if flag:\n        N = one\n    {launch}\ndef run():\n    go()\n"
    ),
    "nonlocal": (
        "def run():\n    N = one\n    def set():\n        nonlocal N\n        N = other\n    set()\n    {launch}\n"
    ),
    "global": "N = one\ndef set():\n    global N\n    N = other\ndef run():\n    set()\n    {launch}\n",
    "by a text": "N = one\nglobals()['N'] = other\ndef run():\n    {launch}\n",
    "by a dict": "N = one\nglobals().update(N=other)\ndef run():\n    {launch}\n",
    "of the module": "N = one\nsetattr(sys.modules[__name__], 'N', other)\ndef run():\n    {launch}\n",
    "by another file": "N = one\ndef run():\n    {launch}\n# file\nimport main\nmain.N = main.other\n",
    "raised": (
        "def run():\n    try:\n        N = one\n        raise ValueError(other)\n"
        "    except ValueError as e:\n        N = e.args[0]\n    {launch}\n"
    ),
    "in a with": "def run():\n    N = one\n    with contextlib.nullcontext(other) as N:\n        {launch}\n",
    "given": "N = one\ndef go(N):\n    {launch}\ndef run():\n    go(other)\n",
    "of a lambda": "N = one\ndef run():\n    (lambda N: {launch})(other)\n",
    "of a comprehension": "N = one\ndef run():\n    [{launch} for N in (other,)]\n",
    "chosen": "def run(flag=False):\n    (one if flag else other)[(1,)](1, 2)\n",
    "beside a class": (
        "N = other\nclass C:\n    N = one\n    def go(self):\n        {launch}\ndef run():\n    C().go()\n"
    ),
    "taken out": "T = {{'a': one, 'b': other}}\ndef run(key='b'):\n    T[key][(1,)](1, 2)\n",
    "bound again": "def run():\n    f = one[(1,)]\n    f = other[(1,)]\n    f(1, 2)\n",
}  # fmt: skip
LAUNCHES = {
    "launched": "N[(1,)](1, 2)",
    "by name": "N[(1,)](n=2, x=1)",
    "held": "[N][0][(1,)](1, 2)",
    "partly": "functools.partial(N[(1,)], 1)(2)",
    "by a call": "(lambda f: f[(1,)](1, 2))(N)",
}


class Kernel:
    def __init__(self) -> None:
        self.launches = 0

    def __getitem__(self, grid: object) -> Callable[[int, int], None]:
        def launch(x: int, n: int) -> None:
            self.launches += 1

        return launch


def launches(main: str, after: str) -> tuple[int, int]:
    one, other, module = Kernel(), Kernel(), types.ModuleType("main")
    module.__dict__.update(one=one, other=other)
    before, sys.modules["main"] = sys.modules.get("main"), module
    name, module.__name__ = module.__name__, "main"
    try:
        exec(compile(HEAD + main, "main.py", "exec", dont_inherit=True), module.__dict__)  # the tests' own text
        exec(compile(after, "after.py", "exec", dont_inherit=True), {})
        module.run()
    finally:
        module.__name__ = name
        sys.modules.pop("main")
        if before is not None:
            sys.modules["main"] = before
    return one.launches, other.launches


def told(folder: Path, main: str, after: str, name: str) -> list[HostArgument]:
    (folder / "main.py").write_text(HEAD + KERNELS + main, encoding="utf-8")
    (folder / "after.py").write_text(after, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    function = next(f for f in project.module(str(folder / "main.py")).functions if f.name == name)
    found = launched.arguments(project, function, project.launches_of(function))
    return [argument for passed in found for argument in passed.values()]


@pytest.mark.parametrize(("made", "launch"), [*itertools.product(MADE, LAUNCHES)])
def test_nothing_is_certain_of_what_is_not_launched(made: str, launch: str, tmp_path: Path) -> None:
    main, _, after = MADE[made].format(launch=LAUNCHES[launch]).partition("# file\n")
    assert launches(main, after) == (0, 1)
    said = told(tmp_path, main, after, "one")
    assert not any(one.sure and not one.varies for one in said), said


GIVEN = [how for how, text in MADE.items() if "{launch}" in text]


@pytest.mark.parametrize("how", GIVEN)
def test_what_is_given_may_be_another(how: str, tmp_path: Path) -> None:
    main, _, after = MADE[how].format(launch="given[(1,)](N, N[(1,)](1, 2))").partition("# file\n")
    given = "@triton.jit\ndef given(x, n):\n    pass\n\n\n"
    assert launches("given = {(1,): lambda *given: None}\n" + main, after) == (0, 1)
    said = told(tmp_path, given + main, after, "given")[:1]
    for function in said:
        known = function.value.function.name if isinstance(function.value, Jit) else None
        assert not function.sure or function.varies or known in (None, "other"), function


ONE = {
    "itself": "def run():\n    other[(1,)](1, 2)\n",
    "by another name": "N = other\ndef run():\n    N[(1,)](1, 2)\n",
    "of a function": "def run():\n    N = other\n    N[(1,)](1, 2)\n",
    "with a grid": "def run():\n    f = other[(1,)]\n    f(1, 2)\n",
    "handed on": "def go(f):\n    f[(1,)](1, 2)\ndef run():\n    go(other)\n",
    "partly": "def run():\n    functools.partial(other[(1,)], x=1)(n=2)\n",
    "under a condition": "if len(sys.argv) < 99:\n    N = other\ndef run():\n    N[(1,)](1, 2)\n",
    "in a method": "class C:\n    def go(self):\n        other[(1,)](1, 2)\ndef run():\n    C().go()\n",
    "of a class": "class C:\n    N = other\ndef run():\n    C.N[(1,)](1, 2)\n",
}


@pytest.mark.parametrize("how", ONE)
def test_what_is_no_other_is_certain(how: str, tmp_path: Path) -> None:
    assert launches(ONE[how], "") == (0, 1)
    said = told(tmp_path, ONE[how], "", "other")
    assert said
    assert all(one.sure and not one.varies for one in said), said
