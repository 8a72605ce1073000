"""What the installed Triton refuses is nobody's error where another may be in its place: every way to put one there
with everything that is put, and every way to name it. Where that is a stand-in without a compiler, or another module's,
the error stands."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from kernel_analysis.agent.not_shown.other_targets import of_host
from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import file_findings
from kernel_analysis.rules.subject import FileSubject

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def fill(out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, 1.0, mask=offs < n)


def launch(out, n):
    fill[(4,)](out, n)
"""
PUTS = {
    "item": "sys.modules[NAME] = WHAT",
    "update": "sys.modules.update({NAME: WHAT})",
    "default": "sys.modules.setdefault(NAME, WHAT)",
    "method": "sys.modules.__setitem__(NAME, WHAT)",
    "imported": "from sys import modules\nmodules[NAME] = WHAT",
    "a patch": "from unittest import mock\nmock.patch.dict(sys.modules, {NAME: WHAT}).start()",
    "a patch of the path": "from unittest import mock\nmock.patch.dict('sys.modules', {NAME: WHAT}).start()",
    "a fixture": "def fix(monkeypatch):\n    monkeypatch.setitem(sys.modules, NAME, WHAT)",
    "a loop": "for name in (NAME, 'x'):\n    sys.modules[name] = WHAT",
    "a function": "def put(name):\n    sys.modules[name] = WHAT\n\n\nput(NAME)",
}
NAMES = {
    "spelled": "'triton'",
    "of a part": "'triton.language'",
    "by a name": "TARGET",
    "put together": "TARGET + name_of_part",
    "a format": "f'{TARGET}.language'",
}
FORKS = {"imported": "importlib.import_module('fork')", "a name": "fork", "in sight": "loaded()"}
STUBS = {"a mock": "MagicMock()", "a module": "types.ModuleType('triton')", "its own": "Stub()", "nothing": "None"}
HEAD = """\
import importlib, sys, types
from unittest.mock import MagicMock
import fork

TARGET = "triton"
name_of_part = sys.argv[0]


class Stub:
    pass


def loaded():
    return importlib.import_module("fork")


"""


def severities(folder: Path, **files: str) -> set[str]:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    project = Project([str(folder)], sys.path, patient=True)
    module = project.module(str(folder / "kernels.py"))
    found = of_host(project.resolver, module, file_findings(FileSubject(project, module), {}))
    return {one.severity for one in found if one.code == "launch-arguments"}


def test_by_itself_it_is_an_error(tmp_path: Path) -> None:
    assert severities(tmp_path, kernels=KERNELS, put=HEAD) == {"error"}


@pytest.mark.parametrize(("put", "name", "fork"), [*itertools.product(PUTS, NAMES, FORKS)])
def test_another_in_its_place(tmp_path: Path, put: str, name: str, fork: str) -> None:
    text = HEAD + PUTS[put].replace("NAME", NAMES[name]).replace("WHAT", FORKS[fork]) + "\n"
    assert severities(tmp_path, kernels=KERNELS, put=text) == {"information"}


@pytest.mark.parametrize(("put", "stub"), [*itertools.product(PUTS, STUBS)])
def test_what_has_no_compiler(tmp_path: Path, put: str, stub: str) -> None:
    text = HEAD + PUTS[put].replace("NAME", "'triton'").replace("WHAT", STUBS[stub]) + "\n"
    assert severities(tmp_path, kernels=KERNELS, put=text) == {"error"}


@pytest.mark.parametrize(("put", "name"), [*itertools.product(PUTS, ["'other'", "'triton_kernels'", "spec.name"])])
def test_another_of_other_modules(tmp_path: Path, put: str, name: str) -> None:
    text = HEAD + PUTS[put].replace("NAME", name).replace("WHAT", "fork") + "\nKIND = 'triton'\n"
    assert severities(tmp_path, kernels=KERNELS, put=text) == {"error"}


@pytest.mark.parametrize("hooks", ["sys.meta_path.insert(0, Finder())", "sys.path_hooks.append(Finder)"])
@pytest.mark.parametrize("names", ["'triton'", "'triton.'"])
def test_an_import_hook(tmp_path: Path, hooks: str, names: str) -> None:
    finder = f"class Finder:\n    def find_spec(self, name, path, target=None):\n        return name == {names}\n\n\n"
    assert severities(tmp_path, kernels=KERNELS, put=HEAD.replace("triton", "x") + finder + hooks) == {"information"}


UNSEEN = {
    "both of it": "from fork.utils import tl, triton",
    "the language": "import triton\nfrom fork.utils import tl",
    "a hook": "try:\n    from fork_npu import tl, triton\nexcept ImportError:\n    from fork_gpu import tl, triton",
}


@pytest.mark.parametrize("way", list(UNSEEN))
@pytest.mark.parametrize("here", [True, False])
def test_triton_of_a_package_that_is_not_in_sight(tmp_path: Path, way: str, here: bool) -> None:
    body = KERNELS.partition("\n\n\n")[2]
    head = UNSEEN[way] if here else "from own import tl, triton"
    own = "" if here else UNSEEN[way] + "\n"
    assert severities(tmp_path, kernels=f"{head}\n\n\n{body}", own=own) == {"information"}


SEEN = {
    "itself": "import triton\nimport triton.language as tl",
    "whether it is there": "import triton\nimport triton.language as tl\nfrom fork.utils import HAS_TRITON",
    "or a fallback": (
        "try:\n    import triton\n    import triton.language as tl\n"
        "except ImportError:\n    from lost import tl, triton"
    ),
}


@pytest.mark.parametrize("way", list(SEEN))
@pytest.mark.parametrize("here", [True, False])
def test_triton_of_a_file_that_has_it_of_triton(tmp_path: Path, way: str, here: bool) -> None:
    body = KERNELS.partition("\n\n\n")[2]
    head = SEEN[way] if here else "from own import tl, triton"
    assert severities(tmp_path, kernels=f"{head}\n\n\n{body}", own="" if here else SEEN[way] + "\n") == {"error"}
