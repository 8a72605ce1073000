"""Launches that work: every way to say which of two things a name stands for with every place that reads it in a
launch, and every way not to come to a launch, or to expect that it fails. What Triton would refuse is what the name
does not stand for, or what is not reached; real Python says which launches take place, and nobody is accused."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding
from kernel_analysis.rules import launch_arguments
from kernel_analysis.rules.subject import FileSubject

HEAD = "import contextlib\nimport functools\nimport sys\n"
KERNEL = (
    "import triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    tl.store(x + n, B)\n\n\n"
)


class Refused(Exception):
    """Triton would refuse the launch."""


class Kernel:
    """Takes what Triton takes."""

    def __init__(self) -> None:
        self.launches = 0

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        def launch(*args: Any, **keywords: Any) -> None:
            try:
                given = inspect.signature(lambda x, n, B: None).bind(*args, **keywords).arguments
            except TypeError as error:
                raise Refused from error
            axes = grid(given) if callable(grid) else grid
            if not isinstance(axes, tuple) or not 0 < len(axes) <= 3 or not all(isinstance(a, int) for a in axes):
                raise Refused
            if any(isinstance(given[name], (list, dict, str)) for name in ("x", "n")) or isinstance(given["B"], list):
                raise Refused
            self.launches += 1

        return launch


def launches(texts: dict[str, str]) -> int:
    kernel = Kernel()
    made = {name: types.ModuleType(name) for name in texts}
    made["main"].__dict__["k"] = kernel
    before = {name: sys.modules.get(name) for name in texts}
    sys.modules.update(made)
    try:
        for name, text in texts.items():
            exec(compile(text, f"{name}.py", "exec", dont_inherit=True), made[name].__dict__)  # the tests' own text
        if "run" in made["main"].__dict__:
            made["main"].run()
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
    return kernel.launches


def accused(folder: Path, texts: dict[str, str]) -> list[Finding]:
    for name, text in texts.items():
        (folder / f"{name}.py").write_text((KERNEL if name == "main" else "") + text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    return launch_arguments.check_file(FileSubject(project, project.module(str(folder / "main.py"))))


PLACES = {
    "k[(N,)](0, 1, 1)": ("2", "2.5"),
    "k[N](0, 1, 1)": ("(2,)", "2"),
    "k[lambda meta: (N,)](0, 1, 1)": ("2", "2.5"),
    "k[(8 // N,)](0, 1, 1)": ("2", "2.5"),
    "k[(max(N, 1),)](0, 1, 1)": ("2", "2.5"),
    "k[(1,)](0, N, 1)": ("2", "[1]"),
    "k[(1,)](0, n=N, B=1)": ("2", "'t'"),
    "k[(1,)](0, 1, N)": ("2", "[1]"),
    "k[(1,)](*N)": ("(0, 1, 1)", "(0, [1], 1)"),
    "k[(1,)](0, **N)": ("{'n': 1, 'B': 1}", "{'n': 1}"),
    "k[(1,)](**dict(x=0, n=N, B=1))": ("2", "[1]"),
}
"""The launch, what the name may stand for there, and what not."""
STANDS = {
    "beside a class": "N = {good}\nclass C:\n    N = {bad}\n    def go(self):\n        {launch}\nC().go()\n",
    "beside a class, of a static method": (
        "N = {good}\nclass C:\n    N = {bad}\n    @staticmethod\n    def go():\n        {launch}\nC.go()\n"
    ),
    "beside a class, in a lambda": "N = {good}\nclass C:\n    N = {bad}\n    go = lambda self: {launch}\nC().go()\n",
    "beside a class, in a comprehension": "N = {good}\nclass C:\n    N = {bad}\n    x = [{launch} for _ in (1,)]\n",
    "nonlocal": (
        "def run():\n    N = {bad}\n    def set():\n        nonlocal N\n        N = {good}\n    set()\n    {launch}\n"
    ),
    "global": "N = {bad}\ndef set():\n    global N\n    N = {good}\ndef run():\n    set()\n    {launch}\n",
    "by a text": "N = {bad}\nglobals()['N'] = {good}\ndef run():\n    {launch}\n",
    "by a dict": "N = {bad}\nglobals().update(N={good})\ndef run():\n    {launch}\n",
    "of the module": "N = {bad}\nsetattr(sys.modules[__name__], 'N', {good})\ndef run():\n    {launch}\n",
    "by another file": "N = {bad}\ndef run():\n    {launch}\n# file\nimport main\nmain.N = {good}\n",
    "by a path": (
        "N = {bad}\ndef run():\n    {launch}\n# file\nimport unittest.mock\n"
        "unittest.mock.patch('main.N', {good}).start()\n"
    ),
    "of a call": "def make(N):\n    return lambda: {launch}\nN = {bad}\nmake({good})()\n",
    "of a comprehension": "N = {bad}\n[go() for go in [(lambda: {launch}) for N in ({good},)]]\n",
    "annotated": "def go(N: float):\n    {launch}\ndef run():\n    go({good})\n",
}  # fmt: skip
MADE = {
    "a grid": ("G = (N,)", "k[G](0, 1, 1)"),
    "a grid's function": ("G = lambda meta: (N,)", "k[G](0, 1, 1)"),
    "arguments": ("G = (0, N, 1)", "k[(N,)](*G)"),
    "arguments by name": ("G = dict(n=N, B=1)", "k[(N,)](0, **G)"),
}
"""What reads a name where it is made, and what is launched with it where that name stands for something else."""


def files(text: str) -> dict[str, str]:
    main, _, other = text.partition("# file\n")
    return {"main": HEAD + main, **({"other": other} if other else {})}


@pytest.mark.parametrize("how", STANDS)
def test_which_of_two_things_a_name_stands_for(how: str, tmp_path: Path) -> None:
    for number, (launch, (good, bad)) in enumerate(PLACES.items()):
        if how == "annotated" and good != "2":
            continue
        texts = files(STANDS[how].format(launch=launch, good=good, bad=bad))
        assert launches(texts) == 1
        folder = tmp_path / str(number)
        folder.mkdir()
        assert not accused(folder, texts), launch


@pytest.mark.parametrize(("how", "other"), [*itertools.product(MADE, ("2.5", "[1]"))])
def test_what_is_made_elsewhere_is_read_there(how: str, other: str, tmp_path: Path) -> None:
    made, launch = MADE[how]
    texts = files(f"N = 2\n{made}\n\n\ndef run():\n    N = {other}\n    {launch.replace('N', '1')}\n")
    assert launches(texts) == 1
    assert not accused(tmp_path, texts)


def test_one_of_several_comprehensions(tmp_path: Path) -> None:
    texts = files("N = 2.5\nG = [lambda meta: (N,) for N in (2,)][0]\n\n\ndef run():\n    k[G](0, 1, 1)\n")
    assert launches(texts) == 1
    assert not accused(tmp_path, texts)


NOT_REACHED = {
    "returned": "OFF = True\ndef go():\n    if OFF:\n        return\n    {launch}\ngo()\n",
    "returned, in a with": "def go():\n    with contextlib.nullcontext():\n        return\n    {launch}\ngo()\n",
    "returned either way": (
        "def go(x):\n    if x:\n        return 1\n    else:\n        return 2\n    {launch}\ngo(1)\n"
    ),
    "continued": "def go():\n    for i in (1, 2):\n        continue\n        {launch}\ngo()\n",
    "asserted": "def go():\n    assert N is None\n    {launch}\nwith contextlib.suppress(AssertionError):\n    go()\n",
    "chosen": "OFF = True\nNone if OFF else {launch}\n",
    "and": "ON = False\nON and {launch}\n",
    "or": "OFF = True\nOFF or {launch}\n",
    "nothing to go through": "for i in ():\n    {launch}\n",
    "nothing in a comprehension": "[{launch} for i in ()]\n",
    "exited": "def go():\n    sys.exit()\n    {launch}\nwith contextlib.suppress(SystemExit):\n    go()\n",
    "raised": "def go():\n    raise ValueError\n    {launch}\nwith contextlib.suppress(ValueError):\n    go()\n",
}
FAILING = {
    "by its caller": "def go():\n    {launch}\ntry:\n    go()\nexcept Exception:\n    pass\n",
    "by its caller's": (
        "def go():\n    {launch}\ndef more():\n    go()\nwith contextlib.suppress(Exception):\n    more()\n"
    ),
    "far up": (
        "def go():\n    {launch}\n"
        + "".join(f"def up{n}():\n    {f'up{n - 1}' if n else 'go'}()\n" for n in range(12))
        + "with contextlib.suppress(Exception):\n    up11()\n"
    ),
    "by another name": "from contextlib import suppress as s\nwith s(Exception):\n    {launch}\n",
    "by a generator": (
        "@contextlib.contextmanager\ndef fails():\n    try:\n        yield\n    except Exception:\n        pass\n"
        "with fails():\n    {launch}\n"
    ),
    "by a class": (
        "class Fails:\n    def __enter__(self): pass\n    def __exit__(self, *a): return True\n"
        "with Fails():\n    {launch}\n"
    ),
    "on a stack": (
        "with contextlib.ExitStack() as s:\n    s.enter_context(contextlib.suppress(Exception))\n    {launch}\n"
    ),
    "handed on": (
        "def raises(f):\n    try:\n        f()\n    except Exception:\n        return True\nraises(lambda: {launch})\n"
    ),
    "handed on by its name": (
        "def raises(f):\n    try:\n        f()\n    except Exception:\n        return True\n"
        "def go():\n    {launch}\nraises(go)\n"
    ),
    "left by finally": "def go():\n    try:\n        {launch}\n    finally:\n        return\ngo()\n",
}  # fmt: skip


@pytest.mark.parametrize("how", [*NOT_REACHED, *FAILING])
def test_what_is_not_reached_or_there_to_fail(how: str, tmp_path: Path) -> None:
    for number, (launch, (_, bad)) in enumerate(PLACES.items()):
        texts = files(f"N = {bad}\n{(NOT_REACHED | FAILING)[how].format(launch=launch)}k[(1,)](0, 1, 1)\n")
        assert launches(texts) == 1
        folder = tmp_path / str(number)
        folder.mkdir()
        assert not accused(folder, texts), launch


REACHED = {
    "returned otherwise": "OFF = False\ndef go():\n    if OFF:\n        return\n    {launch}\ngo()\n",
    "returned by an inner function": "def go():\n    def inner():\n        return\n    {launch}\ngo()\n",
    "chosen": "OFF = False\nNone if OFF else {launch}\n",
    "and": "ON = True\nON and {launch}\n",
    "in a with": "with contextlib.nullcontext():\n    {launch}\n",
    "in a class's with": (
        "class Goes:\n    def __enter__(self): pass\n    def __exit__(self, *a): return None\n"
        "with Goes():\n    {launch}\n"
    ),
    "by its caller": "def go():\n    {launch}\ntry:\n    go()\nexcept Exception:\n    raise\n",
    "by one of its callers": "def go():\n    {launch}\nwith contextlib.suppress(Exception):\n    go()\ngo()\n",
    "in a method": "class C:\n    M = 1\n    def go(self):\n        {launch}\nC().go()\n",
}  # fmt: skip


@pytest.mark.parametrize("how", REACHED)
def test_what_is_reached_is_refused(how: str, tmp_path: Path) -> None:
    for number, (launch, (_, bad)) in enumerate(PLACES.items()):
        if "max" in launch:
            continue  # which of several is the largest is not told
        texts = files(f"N = {bad}\n{REACHED[how].format(launch=launch)}")
        with contextlib.suppress(TypeError), pytest.raises(Refused):  # `8 // 2.5` and the like are none
            launches(texts)
        folder = tmp_path / str(number)
        folder.mkdir()
        assert accused(folder, texts), launch
