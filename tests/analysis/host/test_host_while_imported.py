"""What a launch passes that takes place while its file is being imported, or in a function that may be called by then:
every way to bind a name with every place of a launch, every time that it is reached, and what is bound or changed
after. Each file is run by Python, with torch; what is certain must be so in every launch on that line.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from host_launches import told, wrong

from products import product

torch = pytest.importorskip("torch")

HEAD = "import torch\nfrom contextlib import nullcontext\nfrom torch import __version__ as TEXT\n"
BOUND = {
    "a number": "b = 4",
    "computed": "b = len(TEXT)",
    "unpacked": "b, c = len(TEXT), 1",
    "augmented": "b = 3\nb += len(TEXT)",
    "with": "with nullcontext(4) as b:\n    pass",
    "loop": "for b in (4, 5):\n    pass",
    "tried": "try:\n    b = len(TEXT)\nexcept ValueError:\n    b = 1",
}
MORE = "x = torch.zeros(2)\nD = {'b': b}\n\n\ndef size():\n    return b\n\n\n"
PASSED = {"name": "b", "item": "D['b']", "call": "size()"}
AT_ONCE = {
    "plain": "{launch}",
    "comprehension": "[{launch} for _ in range(2)]",
    "comprehension that binds": "[{launch} for b in (1, 2.5)]",
    "class": "class A:\n    {launch}",
    "class that binds": "class A:\n    b = 2.5\n    {launch}",
    "condition": "if x is not None:\n    {launch}",
    "turns": "for i in range(2):\n    {launch}\n    {later}",
    "while": "i = 0\nwhile i < 2:\n    {launch}\n    i += 1\n    {later}",
}
LATER_ON = {
    "function": ("def f():\n    {launch}", "f()"),
    "function in one": ("def f():\n    def g():\n        {launch}\n    g()", "f()"),
    "lambda": ("f = lambda: {launch}", "f()"),
    "lambda that binds": ("f = lambda b: {launch}", "f(2.5)"),
    "lambda with a default": ("f = lambda b=b: {launch}", "f()"),
    "generator": ("f = ({launch} for _ in range(3))", "next(f)"),
    "method": ("class A:\n    def f(self):\n        {launch}", "A().f()"),
    "method that reads": ("class A:\n    b = 2.5\n    def f(self):\n        {launch}", "A().f()"),
    "mapped": ("def f(i):\n    {launch}", "list(map(f, [1]))"),
    "decorator": ("def f(g=None):\n    {launch}", "@f\ndef g(): pass"),
    "with": (
        "class A:\n    def __enter__(self):\n        {launch}\n    def __exit__(self, *more):\n        pass\n\na = A()",
        "with a:\n    pass",
    ),
    "class": ("def f():\n    {launch}", "class B:\n    f()"),
    "default": ("def f():\n    {launch}", "def g(a=f()): pass"),
}
LATER = {
    "nothing": "pass",
    "bound": "b = 9.5; x = x.half()",
    "changed": "D['b'] = 9.5",
    "both": "b = 9.5; D['b'] = 2; x = torch.zeros(2, dtype=torch.int8)",
}
TIMES = {"before": (True, False), "after": (False, True), "before and after": (True, True)}


class Kernel:
    """Writes down what it is launched with, by the line of the launch."""

    def __init__(self) -> None:
        self.launches: list[tuple[int, Any, Any]] = []

    def __getitem__(self, grid: object) -> Callable[[Any, Any], None]:
        line = sys._getframe(1).f_lineno  # pyright: ignore[reportPrivateUsage]
        return lambda x, n: self.launches.append((line, x.dtype, n))


def texts() -> Iterator[Any]:
    for bound, passed, later, place in product(BOUND, PASSED, LATER, AT_ONCE):
        made = AT_ONCE[place].format(launch=f"k[(1,)](x, {PASSED[passed]})", later=LATER[later])
        text = f"{BOUND[bound]}\n{MORE}{made}\n{LATER[later]}\n"
        yield pytest.param(text, later == "nothing", id=f"{bound}-{passed}-{place}-{later}")
    for bound, passed, later, place, time in product(BOUND, PASSED, LATER, LATER_ON, TIMES):
        shape, call = LATER_ON[place]
        made = shape.format(launch=f"k[(1,)](x, {PASSED[passed]})")
        before, after = (call if there else "" for there in TIMES[time])
        text = f"{BOUND[bound]}\n{MORE}{made}\n{before}\n{LATER[later]}\n{after}\n"
        yield pytest.param(text, later == "nothing", id=f"{bound}-{passed}-{place}-{later}-{time}")


@pytest.mark.parametrize(("text", "alike"), [*texts()])
def test_what_is_launched_while_the_file_is_imported(text: str, alike: bool, tmp_path: Path) -> None:
    names: dict[str, Any] = {"k": Kernel()}
    exec(compile(HEAD + text, "main.py", "exec", dont_inherit=True), names)  # the tests' own text
    launches: list[tuple[int, Any, Any]] = names["k"].launches
    assert launches
    said = told(tmp_path, HEAD.removeprefix("import torch\n") + text, {})
    assert len(said) == 2, said
    for one, place in zip(said, (1, 2), strict=True):
        reals = [launch[place] for launch in launches]
        assert not any(wrong(one, real) for real in reals), (one, reals)
    if alike:
        assert said[0].sure
        assert said[0].varies == ("class A:\n    " in text and "def " not in text.partition("class A")[2])


def test_a_script_that_binds_each_name_once_is_certain(tmp_path: Path) -> None:
    text = "def main():\n    x = torch.zeros(2, dtype=D)\n    k[(1,)](x, N)\n\n\nD = torch.int8\nN = 4\nmain()\n"
    x, n = told(tmp_path, text, {})
    assert (x.dtype, x.sure, x.varies, n.value, n.varies) == ("i8", True, False, 4, False)


AROUND = {
    "at once": "{f}",
    "condition": "if x is not None:\n{f}",
    "tried": "try:\n{f}\nfinally:\n    pass",
    "class": "class A:\n{f}\nf = A.f",
    "factory": "def g():\n{f}\n    return f\nf = g()",
    "loop": "for i in range(2):\n    if i: f(); {later}\n{f}",
}
"""How a function is made: in a loop, the one of the turn before may be called."""


@pytest.mark.parametrize(("bound", "later", "around"), [*product(BOUND, LATER, AROUND)])
def test_what_is_passed_by_a_function_that_is_made_last(bound: str, later: str, around: str, tmp_path: Path) -> None:
    f = "    def f():\n        k[(1,)](x, b)" if around != "at once" else "def f():\n    k[(1,)](x, b)"
    made = AROUND[around].format(f=f, later=LATER[later])
    text = f"{BOUND[bound]}\n{MORE}def called(): pass\n\n\ncalled()\n{LATER[later]}\ncalled()\n{made}\nf()\n"
    names: dict[str, Any] = {"k": Kernel()}
    exec(compile(HEAD + text, "main.py", "exec", dont_inherit=True), names)  # the tests' own text
    said = told(tmp_path, HEAD.removeprefix("import torch\n") + text, {})
    for one, place in zip(said, (1, 2), strict=True):
        assert not any(wrong(one, launch[place]) for launch in names["k"].launches), one


ONE_LINE = {
    "function": "def run():\n    b = 5; k[(1,)](x, b); b = 2.5; c = 1\n\n\nrun()\n",
    "condition": "def run():\n    b = 5\n    if b: k[(1,)](x, b); b = 2.5; c = 1\n\n\nrun()\n",
    "caller": "def go(n):\n    k[(1,)](x, n)\n\n\ndef run():\n    b = 5; go(b); b = 2.5; c = 1\n\n\nrun()\n",
    "returned": "def go():\n    b = 5; return b; b = 2.5\n\n\ndef run():\n    k[(1,)](x, go())\n\n\nrun()\n",
    "file": "b = 5; k[(1,)](x, b); b = 2.5; c = 1\n",
    "partial": "from functools import partial\n\nb = 5\nf = partial(k[(1,)], x, b)\nb = 2.5\nf()\n",
    "imported as another": "from math import pi as n\n\n\ndef f():\n    k[(1,)](x, n)\n\n\nf()\n"
    "from math import e as n\n",
    "imported from another": "import math as n\n\n\ndef f():\n    k[(1,)](x, n.nan > 0)\n\n\nf()\nimport torch as n\n",
    "star": "from math import *\n\n\ndef f():\n    k[(1,)](x, pi)\n\n\nf()\npi = 3\n",
}


@pytest.mark.parametrize("where", ONE_LINE)
def test_statements_take_place_one_after_the_other(where: str, tmp_path: Path) -> None:
    text = f"x = torch.zeros(2)\n{ONE_LINE[where]}"
    names: dict[str, Any] = {"k": Kernel()}
    exec(compile(HEAD + text, "main.py", "exec", dont_inherit=True), names)  # the tests' own text
    ((_, dtype, value),) = names["k"].launches
    said = told(tmp_path, HEAD.removeprefix("import torch\n") + text, {})
    assert not any(wrong(one, real) for one, real in zip(said, (dtype, value), strict=True)), said


@pytest.mark.parametrize("way", ["import math as m", "import math as m\nif m:\n    import math as m"])
def test_a_module_that_is_imported_once_more_is_the_same(way: str, tmp_path: Path) -> None:
    text = f"x = torch.zeros(2)\n{way}\n\n\ndef f():\n    k[(1,)](x, m.pi)\n\n\nf()\n{way}\n"
    _, n = told(tmp_path, text, {})
    assert (n.value, n.varies) == (math.pi, False)
