"""What reaches a module by itself, and how it is had: every way to have ``gc``'s functions, ``enum``'s that set names,
and the names of a frame; and every way to set a function of a module that is in sight without naming it in a store.
Each is run by real Python; what it finds changed must not be told as certain."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

HAVING = {
    "by the module": "import {m}\ng = {m}.{f}\n",
    "at once": "import {m}\n{m}.{f}",
    "module renamed": "import {m} as q\n{m} = None\ng = q.{f}\n",
    "imported": "from {m} import {f}\ng = {f}\n",
    "renamed": "from {m} import {f} as g\n",
    "star": "from {m} import *\ng = {f}\n",
    "getattr": "import {m}\ng = getattr({m}, '{f}')\n",
    "getattr, in parts": "import {m}\ng = getattr({m}, '{f}'[:3] + '{f}'[3:])\n",
    "dict": "import {m}\ng = vars({m})['{f}']\n",
    "looked up": "import importlib\ng = importlib.import_module('{m}').{f}\n",
    "by its own name": "import {m}\n{f} = {m}.{f}\ng = {f}\n",
    "handed on by its own name": "import {m}\n\n\ndef have({f}):\n    return {f}\n\n\ng = have({m}.{f})\n",
    "star, where another was": "{f} = None\nfrom {m} import *\ng = {f}\n",
    "or another": "try:\n    from {m} import {f}\nexcept ImportError:\n    {f} = None\ng = {f}\n",
    "in a function": "def have():\n    from {m} import {f}\n    return {f}\n\n\ng = have()\n",
}
USES = {
    "get_referents": ("gc", "import main\n[o.update(N=2, function=2) for o in g(main) if type(o) is dict]\n"),
    "get_referrers": ("gc", "import main\n[o.update(N=2, function=2) for o in g(main.function) if type(o) is dict]\n"),
    "global_enum": ("enum", "import enum\ng(enum.IntEnum('E', {'N': 2, 'function': 3}, module='main'))\n"),
}
MAIN = "N = 1\n\n\ndef function():\n    return 1\n"


@pytest.mark.parametrize(("having", "function"), [*itertools.product(HAVING, USES)])
def test_what_gives_all_that_there_is(having: str, function: str, tmp_path: Path) -> None:
    module, use = USES[function]
    other = HAVING[having].format(m=module, f=function)
    if having == "at once":
        use, other = use.replace("g(", f"{module}.{function}("), f"import {module}\n"
    _not_certain({"main": MAIN, "other": f"{other}{use}"}, tmp_path)


FRAMES = {
    "called": "def h():\n    return sys._getframe()\n\n\nh().f_back.f_globals['main'].N = 2\n",
    "here": "sys._getframe().f_globals['main'].N = 2\n",
    "kept": "m = sys._getframe().f_globals['main']\nm.N = 2\n",
    "of a function": "(lambda: 0).__globals__['main'].N = 2\n",
    "raised": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    e.__traceback__.tb_frame.f_globals['main'].N = 2\n",
}


@pytest.mark.parametrize("frame", FRAMES)
def test_a_module_out_of_what_has_names(frame: str, tmp_path: Path) -> None:
    _not_certain({"main": MAIN, "other": f"import sys\nimport main\n{FRAMES[frame]}"}, tmp_path, ("N",))


STORES = {
    "dict": "{m}.__dict__['function'] = new",
    "vars": "vars({m})['function'] = new",
    "update": "{m}.__dict__.update(function=new)",
    "update, in parts": "{m}.__dict__.update({{new.__name__: new}})",
    "merged": "d = {m}.__dict__\nd |= {{'function': new}}",
    "computed": "setattr({m}, new.__name__, new)",
    "computed, of the dict": "{m}.__dict__[new.__qualname__] = new",
    "in a loop": "for name in ['function']:\n    setattr({m}, name, new)",
    "deleted and set": "delattr({m}, 'function')\n{m}.__dict__.setdefault('function', new)",
}
HELD = {"imported": "import main\n", "renamed": "import main as q\n", "by name": "import importlib\n"}
AS = {"imported": "main", "renamed": "q", "by name": "importlib.import_module('main')"}


@pytest.mark.parametrize(("held", "store"), [*itertools.product(HELD, STORES)])
def test_a_function_that_is_set_in_a_module(held: str, store: str, tmp_path: Path) -> None:
    new = "\n\ndef new():\n    return 2\n\n\nnew.__name__ = new.__qualname__ = 'func' + 'tion'\n"
    other = f"{HELD[held]}{new}{STORES[store].format(m=AS[held])}\n"
    _not_certain({"main": MAIN, "other": other}, tmp_path, ("function()",))


HARMLESS = [
    "import gc\ngc.collect()\n", "from gc import collect as c\nc()\n", "import os, gc\ngc.disable()\n",
    "import gc as g\ng.collect()\n", "import enum\n\n\nclass E(enum.Enum):\n    N = 2\n",
    "def read(meta_path):\n    get_objects = open\n    return get_objects if meta_path else None\n\n\nread('a')\n",
    "py_object = path_hooks = 1\nprint(py_object, path_hooks)\n", "import main\ngetattr(main, 'N')\n",
    "import sys\nsys._getframe().f_back\n",
]  # fmt: skip


@pytest.mark.parametrize("other", HARMLESS)
def test_what_only_looks_costs_nothing(other: str, tmp_path: Path) -> None:
    for number, question in enumerate(("N", "function()")):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert judged(folder, {"main": MAIN, "other": other}, question)[0] == "certain", question


def _not_certain(texts: dict[str, str], folder: Path, questions: tuple[str, ...] = ("N", "function()")) -> None:
    for number, question in enumerate(questions):
        here = folder / str(number)
        here.mkdir()
        said, seen = judged(here, texts, question)
        assert seen[-1] != ("value", 1), "nothing is changed"
        assert said != "certain", (question, texts["other"])
