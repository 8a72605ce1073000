"""A host function whose annotation says an integer, and what may call it with something else: every way to reach it,
in its own file and in another, with every value that is none, each run by real Python. What it launches with is then
no certain integer; where all that calls it passes one, or nothing calls it, it is."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from host_python import answers

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer

HEAD = """import torch
import triton
import triton.language as tl


@triton.jit
def kernel(n):
    pass


"""
LAUNCHES = "kernel[(1,)](n)"
RECORDS = "GIVEN = []\n\n\n"
FUNCTION = "{decorators}def launch(n: int{more}):\n    {body}\n\n\n"
OTHERS = ("2.5", "True", "(lambda: 2.5)()", "OTHER")
"""What is no integer to Triton."""
OWN = {
    "by its name": "launch({v})",
    "by keyword": "launch(n={v})",
    "by another name": "other = launch\nother({v})",
    "by map": "list(map(launch, [{v}]))",
    "partial": "import functools\nfunctools.partial(launch, {v})()",
    "a dict": "TABLE = {{'a': launch}}\nTABLE['a']({v})",
    "a list": "[launch][0]({v})",
    "globals": "globals()['launch']({v})",
    "globals, no name spelled": "globals()['la' + 'unch']({v})",
    "all that is global": "[f({v}) for k, f in list(globals().items()) if k[:3] == 'lau']",
    "vars": "vars()['LAUNCH'.lower()]({v})",
    "itself as a module": "import sys\ngetattr(sys.modules[__name__], 'launch')({v})",
    "itself, no name spelled": "import sys\ngetattr(sys.modules[__name__], 'LAUNCH'.lower())({v})",
    "eval": "eval('launch(%r)' % ({v},))",
    "eval, spelled": "x = {v}\neval('launch(x)')",
    "a callback": "def call(f, *args):\n    f(*args)\ncall(launch, {v})",
    "a callback in a method": "class A:\n    def call(self, f):\n        f({v})\nA().call(launch)",
    "a star": "launch(*[{v}])",
    "two stars": "launch(**{{'n': {v}}})",
    "a class's attribute": "class A:\n    f = staticmethod(launch)\nA.f({v})",
    "an object's attribute": "class A:\n    pass\na = A()\na.f = launch\na.f({v})",
    "a comprehension": "n = 1\n[launch(n) for n in [{v}]]",
    "a lambda": "n = 1\n(lambda n: launch(n))({v})",
    "a loop": "for m in [{v}]:\n    launch(m)",
    "a class's body": "n = 1\nclass A:\n    n = {v}\n    launch(n)",
    "a function's parameter": "def call(m):\n    launch(m)\ncall({v})",
    "an annotated parameter": "def call(m: int):\n    launch(m)\ncall({v})",
    "two of them": "def call(m: int):\n    launch(m)\ndef again(m: int):\n    call(m)\nagain({v})",
    "three of them": "def a(m: int):\n    launch(m)\ndef b(m: int):\n    a(m)\ndef c(m: int):\n    b(m)\nc({v})",
    "a global": "m = 1\ndef call():\n    launch(m)\nm = {v}\ncall()",
    "a default": "def call(m: int = {v}):\n    launch(m)\ncall()",
    "a changed parameter": "def call(m: int):\n    m = {v}\n    launch(m)\ncall(1)",
    "one of two": "launch(1)\nlaunch({v})",
    "a walrus": "launch(m := {v})",
    "an or": "launch(None or {v})",
    "a generator": "def gen():\n    yield launch\nnext(gen())({v})",
    "what a function returns": "def get():\n    return launch\nget()({v})",
    "a closure": "def outer():\n    f = launch\n    return lambda: f({v})\nouter()()",
    "its method": "launch.__call__({v})",
    "a thread": "import threading\nt = threading.Thread(target=launch, args=({v},))\nt.start()\nt.join()",
    "recursion": "def call(m: int, d=1):\n    launch(m) if not d else call({v}, 0)\ncall(1)",
    "match": "match launch:\n    case f:\n        f({v})",
    "a decorator": "@launch\ndef f(): pass\nlaunch({v})",
    "a frame": "import sys\nsys._getframe().f_globals['laun' 'ch']({v})",
    "its globals": "def f(): pass\nf.__globals__[''.join(['lau', 'nch'])]({v})",
    "a module that is handed on": "import sys\ndef call(m):\n    m.launch({v})\ncall(sys.modules[__name__])",
}
PLUGIN = {
    "its module": "import main\nmain.launch({v})",
    "its module by another name": "import main as m\nm.launch({v})",
    "by its name": "from main import launch\nlaunch({v})",
    "by another name": "from main import launch as run\nrun({v})",
    "a star": "from main import *\nlaunch({v})",
    "by yet another": "from main import launch as run\ngo = run\ngo({v})",
    "getattr": "import main\ngetattr(main, 'launch')({v})",
    "getattr, no name spelled": "import main\ngetattr(main, 'LAUNCH'.lower())({v})",
    "import_module": "import importlib\nimportlib.import_module('main').launch({v})",
    "neither spelled": "import importlib\ngetattr(importlib.import_module('ma' + 'in'), 'lau' + 'nch')({v})",
    "sys.modules": "import main, sys\nsys.modules['main'].launch({v})",
    "vars": "import main\nvars(main)['lau' + 'nch']({v})",
    "its dict": "import main\n[f({v}) for k, f in list(main.__dict__.items()) if k.startswith('laun')]",
    "members": "import inspect, main\n[f({v}) for k, f in inspect.getmembers(main) if k[0] == 'l']",
    "an attrgetter": "import main, operator\noperator.attrgetter('lau' + 'nch')(main)({v})",
    "a methodcaller": "import main, operator\noperator.methodcaller('lau' + 'nch', {v})(main)",
    "its own getattribute": "import main\nmain.__getattribute__('lau' + 'nch')({v})",
    "a dir": "import main\n[getattr(main, k)({v}) for k in dir(main) if k.startswith('laun')]",
    "a module that is handed on": "import main\ndef call(m):\n    m.launch({v})\ncall(main)",
    "a list of modules": "import main\nfor m in [main]:\n    m.launch({v})",
    "an object's module": "import main\nclass A:\n    m = main\nA().m.launch({v})",
    "in a function": "def call():\n    from main import launch\n    launch({v})\ncall()",
    "in a method": "import main\nclass A:\n    def __init__(self):\n        self.f = main.launch\nA().f({v})",
    "exec": "import main\nexec('main.lau' 'nch(x)', {{'main': main, 'x': {v}}})",
    "a pool": "import main\nfrom concurrent.futures import ThreadPoolExecutor\n"
    "ThreadPoolExecutor(1).submit(main.launch, {v}).result()",
    "a method that it is made": "import main\nclass A:\n    pass\nA.run = staticmethod(main.launch)\nA().run({v})",
    "a star, and globals": "from main import *\nglobals()['lau' + 'nch']({v})",
    "resolve_name": "import pkgutil\npkgutil.resolve_name('main:launch')({v})",
    "inside another module": "import main\nimport other\nother.call(main, {v})",
    "through another module": "import other\nother.run({v})",
}
OTHER = "def call(m, x):\n    getattr(m, 'lau' + 'nch')(x)\n\n\nfrom main import launch as run\n"
FUNCTIONS = {
    "a decorator": ("def mark(f):\n    return lambda *a: f({v})\n\n\n", "@mark\n", "", "launch(1)"),
    "a registry": ("ALL = []\ndef mark(f):\n    ALL.append(f)\n    return f\n\n\n", "@mark\n", "", "ALL[0]({v})"),
    "a default": ("", "", " = {v}", "launch()"),
    "a test": ("import pytest\n\n\n", "@pytest.mark.parametrize('n', [{v}])\n", "",
               "[launch(*m.args[1]) for m in launch.pytestmark]"),
}  # fmt: skip
FINE = {
    "nothing": "",
    "a number": "launch(3)",
    "a name": "N = 3\nlaunch(N)",
    "one of torch's": "def go(x: torch.Tensor):\n    launch(x.numel())",
    "by keyword": "launch(n=3)",
    "annotated": "def go(m: int):\n    launch(m)",
    "annotated, and called": "def go(m: int):\n    launch(m)\ngo(3)",
    "a list of names": "__all__ = ['launch']",
    "its name": "print(launch.__name__)",
}
FINE_PLUGIN = {
    "its module": "import main\nmain.launch(3)",
    "its name": "from main import launch\nlaunch(3)",
    "another's": "import math\nmath.floor(2.5)",
    "another of the name": "def launch(n):\n    pass\nlaunch(2.5)",
}


def said(folder: Path, texts: dict[str, str]) -> tuple[str, bool]:
    """What is said of the kernel's parameter, and whether for certain."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    (function,) = project.module(str(folder / "main.py")).functions
    first = infer(project, function, cut(project, function))[0]
    return str(first.types["n"]), first.evidence["n"].certain


def main_of(before: str, decorators: str, more: str, after: str, value: str) -> dict[str, str]:
    """The file as it is read, and as it is run."""
    rest = f"OTHER = 2.5\n{after}\n".format(v=value) if "{" in after else f"OTHER = 2.5\n{after}\n"
    made = [
        before.replace("{v}", value)
        + FUNCTION.format(decorators=decorators.replace("{v}", value), more=more.replace("{v}", value), body=body)
        + rest
        for body in (LAUNCHES, "GIVEN.append(n)")
    ]
    return {"read": HEAD + "OTHER = 2.5\n" + made[0], "run": RECORDS + "OTHER = 2.5\n" + made[1]}


def passes(texts: dict[str, str]) -> list[Any]:
    """What real Python passes."""
    (seen,) = answers(texts, "main", ["[type(n).__name__ for n in GIVEN]"], "later")
    return [name for kind, value in seen if kind == "value" for name in value]


@pytest.mark.parametrize(("way", "value"), [*itertools.product(OWN, OTHERS)])
def test_its_own_file(way: str, value: str, tmp_path: Path) -> None:
    main = main_of("", "", "", OWN[way], value)
    assert {"float", "bool"} & {*passes({"main": main["run"]})}
    _, certain = said(tmp_path, {"main": main["read"]})
    assert not certain


@pytest.mark.parametrize(("way", "value"), [*itertools.product(PLUGIN, OTHERS)])
def test_another_file(way: str, value: str, tmp_path: Path) -> None:
    main = main_of("", "", "", "", value)
    others = {"other": OTHER, "plugin": "OTHER = 2.5\n" + PLUGIN[way].format(v=value)}
    assert {"float", "bool"} & {*passes({"main": main["run"], **others})}
    _, certain = said(tmp_path, {"main": main["read"], **others})
    assert not certain


@pytest.mark.parametrize(("way", "value"), [*itertools.product(FUNCTIONS, OTHERS)])
def test_what_is_put_on_it(way: str, value: str, tmp_path: Path) -> None:
    main = main_of(*FUNCTIONS[way], value)
    assert {"float", "bool"} & {*passes({"main": main["run"]})}
    _, certain = said(tmp_path, {"main": main["read"]})
    assert not certain


@pytest.mark.parametrize("way", FINE)
def test_what_agrees(way: str, tmp_path: Path) -> None:
    main = main_of("", "", "", FINE[way], "3")
    assert said(tmp_path, {"main": main["read"]}) == ("i32", True)


@pytest.mark.parametrize("way", FINE_PLUGIN)
def test_what_agrees_in_another_file(way: str, tmp_path: Path) -> None:
    main = main_of("", "", "", "", "3")
    assert said(tmp_path, {"main": main["read"], "plugin": FINE_PLUGIN[way]}) == ("i32", True)
