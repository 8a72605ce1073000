"""``from config import *`` over a name of the file's own: every way to give ``config`` a name that none of its
statements binds, each run by real Python. What the star brings must not be hidden by what was there before; and a
module that is not in sight may bring anything but Triton's own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_python import answers
from host_told import judged, told
from small_projects import find

from kernel_analysis.files import LARGEST
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import TritonObject

SETS = {
    "globals": "globals()['W'] = 2\n",
    "globals, updated": "globals().update({'W': 2})\n",
    "globals, computed": "for letter in 'VW':\n    globals()[letter] = 2\n",
    "globals by a name": "names = globals()\nnames |= {'W': 2}\n",
    "vars": "vars()['W'] = 2\n",
    "locals": "locals()['W'] = 2\n",
    "exec": "exec('W = 2')\n",
    "exec of a computed text": "exec(chr(87) + ' = 2')\n",
    "its module": "import sys\n\nsys.modules[__name__].W = 2\n",
    "its module by a text": "import sys\n\nsetattr(sys.modules[__name__], 'W', 2)\n",
    "its module's dict": "import sys\n\nvars(sys.modules[__name__])['W'] = 2\n",
    "when asked": "__all__ = ['W']\n\n\ndef __getattr__(name):\n    return 2\n",
    "a function that is called": "def start():\n    globals()['W'] = 2\n\n\nstart()\n",
    "a function with a global": "def start():\n    global W\n    W = 2\n\n\nstart()\n",
    "a class's body": "class C:\n    global W\n    W = 2\n",
    "a decorator": "def set_(f):\n    f.__globals__['W'] = 2\n    return f\n\n\n@set_\ndef g():\n    pass\n",
    "a statement": "W = 2\n",
}


@pytest.mark.parametrize("way", SETS)
def test_a_name_that_no_statement_binds(way: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"config": SETS[way], "main": "W = 1\nfrom config import *\n"}, "W")
    assert ("value", 2) in seen
    assert said != "certain" or way == "a statement"


@pytest.mark.parametrize("way", SETS)
def test_a_name_that_another_star_brings(way: str, tmp_path: Path) -> None:
    texts = {"deeper": SETS[way], "config": "from deeper import *\n", "main": "W = 1\nfrom config import *\n"}
    said, seen = judged(tmp_path, texts, "W")
    assert ("value", 2) in seen
    assert said != "certain" or way == "a statement"


@pytest.mark.parametrize("config", ["V = 2\n", "def f():\n    return 2\n", "import math\n", "__all__ = ['V']\nV = 2\n"])
def test_a_name_that_it_has_not(config: str, tmp_path: Path) -> None:
    assert judged(tmp_path, {"config": config, "main": "W = 1\nfrom config import *\n"}, "W")[0] == "certain"


def _nothing(file: Path) -> None:
    """The module is where the code runs."""


def _too_large(file: Path) -> None:
    with file.open("wb") as large:
        large.truncate(LARGEST + 1)


def _broken(file: Path) -> None:
    file.write_text("V = 1\nW = 2 +\n", encoding="utf-8")


def _handed_on(file: Path) -> None:
    file.write_text("from farther import *\n", encoding="utf-8")


def _by_name(file: Path) -> None:
    file.write_text("from farther import W\n", encoding="utf-8")


def _perhaps(file: Path) -> None:
    file.write_text("try:\n    from farther import W\nexcept ImportError:\n    pass\n", encoding="utf-8")


NOT_IN_SIGHT = {
    "not there": _nothing,
    "can't be read": _too_large,
    "broken": _broken,
    "from farther": _handed_on,
    "from farther by name": _by_name,
    "from farther, perhaps": _perhaps,
}
AROUND = {
    "plain": "from unseen import *\n",
    "try": "try:\n    from unseen import *\nexcept ImportError:\n    pass\n",
    "suppress": "import contextlib\n\nwith contextlib.suppress(ImportError):\n    from unseen import *\n",
    "if": "import os\n\nif os.sep:\n    from unseen import *\n",
    "loop": "for _ in (1,):\n    from unseen import *\n",
}


def _project(folder: Path, way: str, main: str) -> tuple[Project, Path]:
    NOT_IN_SIGHT[way](folder / "unseen.py")
    (folder / "main.py").write_text(main, encoding="utf-8")
    return Project([str(folder)], [], patient=True), folder / "main.py"


@pytest.mark.parametrize(("way", "around"), [(way, around) for way in NOT_IN_SIGHT for around in AROUND])
def test_what_is_not_in_sight_may_have_any_name(way: str, around: str, tmp_path: Path) -> None:
    main = f"W = 1\n{AROUND[around]}"
    (seen,) = answers({"farther": "W = 2\n", "unseen": "from farther import *\n", "main": main}, "main", ["W"])
    assert ("value", 2) in seen
    ((_, why),) = told(*_project(tmp_path, way, main), ["W"])
    assert why


@pytest.mark.parametrize(("way", "around"), [(way, around) for way in NOT_IN_SIGHT for around in AROUND])
def test_what_is_bound_behind_it_is_the_files_own(way: str, around: str, tmp_path: Path) -> None:
    ((value, why),) = told(*_project(tmp_path, way, f"{AROUND[around]}W = 1\n"), ["W"])
    assert value == 1
    assert bool(why) is (way == "can't be read")  # it may set it later


@pytest.mark.parametrize(("way", "around"), [(way, around) for way in NOT_IN_SIGHT for around in AROUND])
def test_nobody_is_accused_of_a_name_that_it_may_bring(way: str, around: str, tmp_path: Path) -> None:
    kernel = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(p):\n    W(tl.load(p))\n"
    project, main = _project(tmp_path, way, f"{AROUND[around]}\n{kernel}")
    bindings = cut(project, find(project, main, "kernel")).functions[0].bindings
    assert not getattr(bindings["W"], "wrong", False)
    assert bindings["tl"] == TritonObject("triton.language")


@pytest.mark.parametrize("around", AROUND)
def test_tritons_names_stay_tritons(around: str, tmp_path: Path) -> None:
    imports = "import triton\nimport triton.language as tl\n"
    kernel = "\n\n@triton.jit\ndef kernel(p):\n    tl.store(p, 1)\n"
    project, main = _project(tmp_path, "not there", f"{imports}{AROUND[around]}{kernel}")
    assert not cut(project, find(project, main, "kernel")).functions[0].varies


UNDER = {
    "the system": "import sys\n\nif sys.platform == 'win32':\n    {}\n",
    "the machine": "import platform\n\nif platform.machine() == 'aarch64':\n    {}\n",
    "Python": "import sys\n\nif sys.version_info < (3, 8):\n    {}\n",
    "Python, the other way": "import sys\n\nif sys.version_info >= (3, 8):\n    pass\nelse:\n    {}\n",
    "the environment": "import os\n\nif os.environ.get('ON'):\n    {}\n",
    "what is there": "try:\n    import nowhere\nexcept ImportError:\n    {}\n",
    "what is not there": "try:\n    import nowhere\n    {}\nexcept ImportError:\n    pass\n",
    "what is there for sure": "try:\n    import os\nexcept ImportError:\n    {}\n",
    "Triton": "import triton\n\nif triton.__version__ < '2':\n    {}\n",
    "nothing": "if True:\n    {}\n",
    "type checkers": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    {}\n",
    "a condition in another": "import sys\n\nif True:\n    if sys.platform == 'win32':\n        {}\n",
    "with": "import contextlib\n\nwith contextlib.suppress(KeyError):\n    {}\n",
}


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("under", UNDER)
def test_under_a_condition_it_is_as_certain_as_the_name_alone(under: str, deep: bool, tmp_path: Path) -> None:
    answered: list[tuple[object, bool]] = []
    for way in ("W", "*"):
        folder = tmp_path / ("name" if way == "W" else "star")
        folder.mkdir()
        inner = UNDER[under].format(f"from config import {way}")
        texts = {"config": "W = 2\n", "main": f"W = 1\n{inner}"}
        if deep:
            texts = {"config": "W = 2\n", "between": f"W = 1\n{inner}", "main": "from between import *\n"}
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        ((value, why),) = told(Project([str(folder)], [], patient=True), folder / "main.py", ["W"])
        answered.append((value, bool(why)))
    assert answered[0][1] == answered[1][1]
    assert answered[0] == answered[1] or answered[0][1]
