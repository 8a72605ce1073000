"""Which module an import finds, in folders that real Python imports from: where another may be found, nothing of the
one that is read is certain.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

FOLDER = "import os\nhere = os.path.join(os.path.dirname(__file__), 'other')\n"
BESIDE = "import os, package\nhere = os.path.join(package.__path__[0], 'other')\n"
SETS_THE_PATH = {
    "insert": "import sys\nsys.path.insert(0, here)\n",
    "assigned": "import sys\nsys.path = [here, *sys.path]\n",
    "sliced": "import sys\nsys.path[:0] = [here]\n",
    "imported": "from sys import path\npath.insert(0, here)\n",
    "renamed": "import sys as s\ns.path.insert(0, here)\n",
    "by a text": "import sys\ngetattr(sys, 'path').insert(0, here)\n",
    "named": "import sys\npath = sys.path\npath.insert(0, here)\n",
}
MADE = (
    "import os, sys, types\nhere = os.path.join(os.path.dirname(__file__), 'package', 'other')\n"
    "NAME = 'package'\nmade = types.ModuleType(NAME)\nmade.__path__ = [here]\n"
)
PUTS = {
    "a default": "sys.modules.setdefault(KEY, part)",
    "a dict": "sys.modules.update({'first': None, KEY: part})",
    "a patch": "patch.dict(sys.modules, {KEY: part}).start()",
    "pytest": "monkeypatch.setitem(sys.modules, KEY, part)",
}
"""Ways to put a module into ``sys.modules``."""
SETS_A_PACKAGE = {
    "emptied and filled": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}package.__path__ = []\npackage.__path__.append(here)\n",
    },
    "emptied under two names": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}folders = package.__path__ = []\nfolders.append(here)\n",
    },
    "by its name": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}from package import __path__\n__path__.insert(0, here)\n",
    },
    **{
        f"put in its place by {how}": {
            "package/__init__.py": "",
            "boot.py": f"import pytest\nfrom unittest.mock import patch\n{MADE}\ndef load(monkeypatch):\n"
            "    part = types.ModuleType(NAME)\n    part.__path__ = [here]\n"
            f"    {put.replace('KEY', 'NAME')}\n\nload(pytest.MonkeyPatch())\n",
        }
        for how, put in PUTS.items()
    },
    "own": {"package/__init__.py": f"{FOLDER}__path__ = [here]\n"},
    "own, changed": {"package/__init__.py": f"{FOLDER}__path__.insert(0, here)\n"},
    "another, by a text": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}getattr(package, '__path__').insert(0, here)\n",
    },
    "another's list, kept": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}folders = getattr(package, '__path__', [])\nfolders.insert(0, here)\n",
    },
    "put in its place": {
        "package/__init__.py": "",
        "boot.py": f"{MADE}sys.modules[NAME] = made\n",
    },
    "put in its place, by another's text": {
        "package/__init__.py": "",
        "boot.py": f"import words\n{MADE}sys.modules[words.NAME] = made\n",
        "words.py": "NAME = 'package'\n",
    },
    "by a function's names": {
        "package/__init__.py": "def f(): pass\n",
        "boot.py": f"{BESIDE}package.f.__globals__['__path__'].insert(0, here)\n",
    },
    "patched by a text of another": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}import package.m\nfrom unittest.mock import patch\nimport words\n"
        "patch.object(package.m, words.NAME, 2).start()\n",
        "words.py": "NAME = 'N'\n",
    },
    "put in its place, taken by a text": {
        "package/__init__.py": "",
        "boot.py": f"{MADE}def put():\n    made = types.ModuleType(NAME)\n    made.__path__ = [here]\n"
        "    sys.modules[NAME] = locals()['made']\nput()\n",
    },
    "put in its place by a function": {
        "package/__init__.py": "",
        "boot.py": f"{MADE}def put(name, module): sys.modules[name] = module\nput(NAME, made)\n",
    },
    "put in its place under another name": {
        "package/__init__.py": "",
        "boot.py": f"{MADE}again = made\nsys.modules[NAME] = again\n",
    },
    "own, by another's function": {
        "package/__init__.py": f"{FOLDER}from package.find import walk\nwalk(__path__, here)\n",
        "package/find.py": "def walk(path, more):\n    path.insert(0, more)\n",
    },
    "own, by its globals": {"package/__init__.py": f"{FOLDER}globals()['__path__'].insert(0, here)\n"},
    "by what it is called elsewhere": {
        "package/__init__.py": "",
        "outer/__init__.py": "import sys, package\nsys.modules['outer.package'] = package\n",
        "boot.py": f"{BESIDE}import importlib\nimport outer.package as it\nit.__path__.insert(0, here)\n",
    },
    "another": {
        "package/__init__.py": "",
        "boot.py": f"{BESIDE}package.__path__.insert(0, here)\n",
    },
}
CERTAIN = {
    "read": {"package/__init__.py": "import os\nhere = os.path.join(__path__[0], 'other')\n"},
    "extended": {
        "package/__init__.py": "from pkgutil import extend_path\n__path__ = extend_path(__path__, __name__)\n"
    },
    "walked by another": {
        "package/__init__.py": "",
        "user.py": "import pkgutil, package\nlist(pkgutil.walk_packages(package.__path__))\n"
        "for p in package.__path__: print(p)\n",
    },
    "looked up and gone through": {
        "package/__init__.py": "",
        "user.py": "import importlib\nfound = importlib.import_module('package')\n"
        "more = [p + '/more' for p in getattr(found, '__path__', [])]\n",
    },
    "another's": {"package/__init__.py": "", "user.py": "import types\nm = types.ModuleType('m')\nm.__path__ = []\n"},
    "another's, put in place": {
        "package/__init__.py": "",
        "user.py": "import sys, types\nNAME = 'stub'\n\ndef load():\n    made = types.ModuleType(NAME)\n"
        "    made.__path__ = []\n    sys.modules[NAME] = made\n    part = types.ModuleType(f'{NAME}.part')\n"
        "    part.__path__ = []\n    sys.modules[f'{NAME}.part'] = part\n\nload()\n",
    },
    **{
        f"another's, put in place by {how}": {
            "package/__init__.py": "",
            "user.py": f"import sys\nfrom types import ModuleType\nfrom unittest.mock import patch\nNAME = 'stub'\n\n"
            "def load(monkeypatch=None):\n    part = ModuleType(f'{NAME}.part')\n    part.__path__ = []\n"
            f"    {put.replace('KEY', 'NAME')}\n\nload()\n",
        }
        for how, put in PUTS.items()
        if how != "pytest"
    },
    "what is none, patched": {
        "package/__init__.py": "",
        "user.py": "import os\nfrom unittest import mock\n\nwith mock.patch.dict(os.environ, {'A': '1'}):\n"
        "    with mock.patch.object(os, 'getcwd'), mock.patch.dict(os.environ, A='1', clear=True):\n        pass\n",
    },
    "another's, called as a text is": {
        "package/__init__.py": "",
        "user.py": "import sys, types\nNAME = 'stub'\n\ndef load():\n    part = types.ModuleType(f'{NAME}.part')\n"
        "    part.__path__ = ['folder/' + 'part']\n    sys.modules[f'{NAME}.part'] = part\n\nload()\n",
    },
    "stubs that have no modules": {
        "package/__init__.py": "",
        "user.py": "import types\nfrom typing import Any, cast\n\ndef module(name):\n"
        "    return types.ModuleType(name)\n\ndef stubs():\n    parent = cast(Any, types.ModuleType('stub'))\n"
        "    parent.__path__ = []\n    more = module('more')\n    more.__path__ = ()\n"
        "    return {'stub': parent, 'more': more}\n\nstubs()\n",
    },
    "walked by what others put another for": {
        "package/__init__.py": "",
        "user.py": "import pkgutil, package\nlist(pkgutil.walk_packages(package.__path__))\n",
        "test_user.py": "import sys, types\nsys.modules['user'] = types.SimpleNamespace()\n",
    },
    "what is not installed": {
        "package/__init__.py": "",
        "user.py": "import importlib\n\ntry:\n    import elsewhere\nexcept ImportError:\n    pass\n"
        "else:\n    elsewhere.__path__.insert(0, 'other')\n",
    },
    **{
        f"a part's, walked by the package's function, {how}": {
            "package/__init__.py": "from . import parts\n",
            "package/find.py": "import pkgutil\n\ndef walk(path, name=None):\n"
            "    return [m.name for m in pkgutil.iter_modules(path)]\n",
            "package/parts/__init__.py": f"{import_}\nfolders = __path__\nnames = {call}\n",
        }
        for how, (import_, call) in {
            "called": ("from package.find import walk", "walk(folders)"),
            "called beside": ("from ..find import walk", "walk(folders, __name__)"),
            "by its module": ("import package.find", "package.find.walk(path=folders)"),
            "under another name": ("from package import find as it", "it.walk(folders)"),
        }.items()
    },
    "walked": {"package/__init__.py": "import pkgutil\nnames = [m.name for m in pkgutil.iter_modules(__path__)]\n"},
}


@pytest.mark.parametrize("first", SETS_THE_PATH)
def test_the_search_path(first: str, tmp_path: Path) -> None:
    files = {"a.py": "N = 1\n", "other/a.py": "N = 2\n", "boot.py": FOLDER + SETS_THE_PATH[first]}
    _not_certain(tmp_path, {**files, "main.py": "import boot\nimport a\nN = a.N\n"})


@pytest.mark.parametrize("by", SETS_A_PACKAGE)
@pytest.mark.parametrize(
    "got", ["from package.m import N", "import package.m\nN = package.m.N", "from package import m\nN = m.N"]
)
def test_a_package(by: str, got: str, tmp_path: Path) -> None:
    files = {**SETS_A_PACKAGE[by], "package/m.py": "N = 1\n", "package/other/m.py": "N = 2\n"}
    boot = "import boot\n" if "boot.py" in files else ""
    _not_certain(tmp_path, {**files, "main.py": f"{boot}{got}\n"})


@pytest.mark.parametrize("name", ["math", "string", "numbers"])
def test_a_module_of_the_library(name: str, tmp_path: Path) -> None:
    attribute = {"math": "tau", "string": "digits", "numbers": "N"}[name]
    _not_certain(tmp_path, {f"{name}.py": f"{attribute} = 2\n", "main.py": f"import {name}\nN = {name}.{attribute}\n"})


@pytest.mark.parametrize("imported", ["from . import __dict__ as names", "from package import __dict__ as names"])
def test_the_names_of_a_package(imported: str, tmp_path: Path) -> None:
    files = {"package/__init__.py": "N = 1\n", "package/m.py": f"{imported}\nnames['N'] = 2\n"}
    _not_certain(tmp_path, {**files, "main.py": "import package.m\nN = package.N\n"})


@pytest.mark.parametrize("package", CERTAIN)
def test_what_leaves_it(package: str, tmp_path: Path) -> None:
    files = {**CERTAIN[package], "package/m.py": "N = 1\n", "boot.py": "import sys\nprint(sys.path)\n"}
    value, why, real = _asked(tmp_path, {**files, "main.py": "import boot\nfrom package.m import N\n"})
    assert (value, why, real) == (1, "", 1)


def _not_certain(folder: Path, files: dict[str, str]) -> None:
    value, why, real = _asked(folder, files)
    assert real == 2
    assert value is UNTOLD or why or same(value, real)


def _asked(folder: Path, files: dict[str, str]) -> tuple[object, str, object]:
    """What is said of ``N`` in the main file, why it may be another, and what Python has."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    asks = "import main\nprint('\\n', main.N)"
    done = subprocess.run([sys.executable, "-c", asks], cwd=folder, capture_output=True, text=True, check=True)
    ((value, why),) = told(Project([str(folder)], [], patient=True), folder / "main.py", ["N"])
    return value, why, int(done.stdout.splitlines()[-1])
