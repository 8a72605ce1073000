"""What is changed by a way that has no name of it: the default of a function, what a cell holds, what all names of a
function stand for. Everything that holds a list with every way to come by it, and everything that is done with it
there, each run by real Python.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged, same

DEFAULT = "def f(x=[1]):\n    return len(x)\n"
HOLDS = {
    "a default": (DEFAULT, "{}.__defaults__[0]"),
    "a default by keyword": ("def f(*, x=[1]):\n    return len(x)\n", "{}.__kwdefaults__['x']"),
    "a lambda's": ("f = lambda x=[1]: len(x)\n", "{}.__defaults__[0]"),
    "a method's": (
        "class C:\n    @staticmethod\n    def f(x=[1]):\n        return len(x)\nf = C.f\n",
        "C.f.__defaults__[0]",
    ),
    "a cell": (
        "def make():\n    x = [1]\n    def g():\n        return len(x)\n    return g\nf = make()\n",
        "{}.__closure__[0].cell_contents",
    ),
    "a cell of a lambda": (
        "def make():\n    x = [1]\n    return lambda: len(x)\nf = make()\n",
        "{}.__closure__[0].cell_contents",
    ),
}  # fmt: skip
CHANGES = {
    "a method": "{part}.append(2)",
    "a name": "y = {part}\ny += [2]",
    "a slice": "{part}[:] = []",
    "a loop": "for y in [{part}]: y.append(2)",
    "unpacked": "(y,) = [{part}]\ny.append(2)",
    "given": "def grow(y): y.append(2)\ngrow({part})",
    "given to a library": "import heapq\nheapq.heappush({part}, 2)",
    "bound": "grow = {part}.append\ngrow(2)",
    "kept": "TABLE = {{'x': {part}}}\nTABLE['x'].append(2)",
}
OTHER = "from main import f as g\n"
ALL = {
    "goes through them": "for (y,) in [f.__defaults__]: y.append(2)",
    "by a text": "getattr(f, '__defaults__')[0].append(2)",
    "by a case": "import types\nmatch f:\n    case types.FunctionType(__defaults__=(y,)): y.append(2)",
    "by its signature": "import inspect\ninspect.signature(f).parameters['x'].default.append(2)",
    "by an operator": "import operator\noperator.attrgetter('__defaults__')(f)[0].append(2)",
}
READS = ("len({part})", "{part}[0]", "assert {part} == [1]", "f.__name__", "f.__doc__")


@pytest.mark.parametrize("hold", HOLDS)
def test_what_something_holds_is_changed_there(hold: str, tmp_path: Path) -> None:
    text, part = HOLDS[hold]
    for change, other in itertools.product(CHANGES, (False, True)):
        if other and "C." in part:
            continue
        step = CHANGES[change].format(part=part.format("g" if other else "f"))
        texts = {"main": text, "other": OTHER + step} if other else {"main": f"{text}{step}\n"}
        _held(tmp_path, texts, f"{hold}, {change}, {other}")


@pytest.mark.parametrize("way", ALL)
def test_a_default_is_come_by_otherwise(way: str, tmp_path: Path) -> None:
    _held(tmp_path, {"main": f"{DEFAULT}{ALL[way]}\n"}, way)


@pytest.mark.parametrize("hold", ["a default", "a default by keyword", "a method's", "a cell"])
def test_what_is_only_read_there_stays_certain(hold: str, tmp_path: Path) -> None:
    text, part = HOLDS[hold]
    for read in READS:
        said, _ = judged(tmp_path, {"main": f"{text}{read.format(part=part.format('f'))}\n"}, "f()")
        assert said == "certain", read


def _held(folder: Path, texts: dict[str, str], where: str) -> None:
    said, seen = judged(folder, texts, "f()")
    assert said != "certain" or all(same(value, 1) for _, value in seen), where
    assert any(value != 1 for _, value in seen), where  # else it shows nothing


FRAMES = {
    "locals": "locals()['x'].append(2)",
    "vars": "vars()['x'].append(2)",
    "under a name": "names = locals()\nnames['x'].append(2)",
    "asked for": "locals().get('x').append(2)",
    "as a value": "ask = locals\nask()['x'].append(2)",
    "its frame": "sys._getframe().f_locals['x'].append(2)",
    "its frame, of a module": "inspect.currentframe().f_locals['x'].append(2)",
    "the caller's": "touch()",
    "inside": "def inner():\n    y = x\n    locals()['x'].append(2)\ninner()",
    "a cell": "def inner():\n    return x\ninner.__closure__[0].cell_contents.append(2)",
    "another file's": "other.touch()",
    "a function in it": "def inner(y=x):\n    return y\ninner.__defaults__[0].append(2)",
}
READ_FRAMES = ("len(locals())", "'x' in locals()", "print(locals()['x'])", "names = dict(y=1)")
_TOUCH = "def touch():\n    sys._getframe(1).f_locals['x'].append(2)\n\n\n"
_FOLLOWED = "def f():\n    x = [1]\n    {step}\n    return len(x)\n"


@pytest.mark.parametrize("way", FRAMES)
def test_a_local_is_changed_by_who_has_all_names(way: str, tmp_path: Path) -> None:
    step = FRAMES[way].replace("\n", "\n    ")
    head = "import inspect\nimport sys\n" + ("import other\n" if "other" in way else "")
    texts = {"other": f"import sys\n\n\n{_TOUCH}"} if "other" in way else {}
    _held(
        tmp_path,
        {**texts, "main": f"{head}{_TOUCH if way.startswith('the') else ''}{_FOLLOWED.format(step=step)}"},
        way,
    )


@pytest.mark.parametrize("read", READ_FRAMES)
def test_who_reads_among_all_names_changes_none(read: str, tmp_path: Path) -> None:
    said, _ = judged(tmp_path, {"main": _FOLLOWED.format(step=read)}, "f()")
    assert said == "certain"
