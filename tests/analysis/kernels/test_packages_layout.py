"""Where imports start: packages, folders in them that are none, the usual places of sources."""

from __future__ import annotations

import os
from itertools import permutations, product
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project

FILES = {
    "pkg/__init__.py": "",
    "pkg/utils.py": "X = 1",
    "pkg/kernels/deep/k.py": "import pkg",
    "pkg/kernels/near.py": "Y = 2",
    "src/other/__init__.py": "",
    "python/third/__init__.py": "",
    "pkg/vendored/__init__.py": "",
    "pkg/vendored/copied/__init__.py": "",
    "pkg/vendored/copied/ops/__init__.py": "",
    "pkg/vendored/copied/ops/k.py": "",
    "pkg/vendored/copied/near.py": "",
    "tools/lib/one.py": "",
    "tools/lib/two.py": "",
    "packages/one/src/first/close.py": "",
    "packages/two/src/second/__init__.py": "",
    "packages/two/src/second/k.py": "",
    "packages/one/lib/helpers.py": "",
    "packages/two/lib/again.py": "",
    "packages/three/lib/again.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Project([str(tmp_path)], [])


@pytest.mark.parametrize(
    ("importer", "module", "file"),
    [
        ("pkg/kernels/deep/k.py", "pkg.utils", "pkg/utils.py"),
        ("pkg/kernels/deep/k.py", "pkg.kernels.near", "pkg/kernels/near.py"),
        ("pkg/kernels/deep/k.py", "kernels.near", None),
        ("pkg/kernels/deep/k.py", "other", "src/other/__init__.py"),
        ("pkg/kernels/deep/k.py", "third", "python/third/__init__.py"),
        ("tools/lib/one.py", "two", "tools/lib/two.py"),
        ("tools/lib/one.py", "lib.two", "tools/lib/two.py"),
        ("tools/lib/one.py", "tools.lib.two", "tools/lib/two.py"),
        ("pkg/utils.py", "near", None),
        ("pkg/vendored/copied/ops/k.py", "copied.near", "pkg/vendored/copied/near.py"),
        ("pkg/vendored/copied/ops/k.py", "copied.far", None),
        ("pkg/vendored/copied/ops/k.py", "vendored.copied", "pkg/vendored/copied/__init__.py"),
        ("pkg/utils.py", "copied.near", None),
        # One place alone has it, to which a path leads that is set where it runs.
        ("packages/two/src/second/k.py", "first.close", "packages/one/src/first/close.py"),
        ("packages/one/src/first/close.py", "second.k", "packages/two/src/second/k.py"),
        ("packages/two/src/second/k.py", "helpers", "packages/one/lib/helpers.py"),
        ("packages/two/src/second/k.py", "again", None),
        ("packages/two/lib/again.py", "again", "packages/two/lib/again.py"),
    ],
)
def test_layouts(project: Project, tmp_path: Path, importer: str, module: str, file: str | None) -> None:
    found = project.find_module(module, str(tmp_path / importer))
    assert found == (None if file is None else str(tmp_path / file))


def test_outside_of_the_workspace(project: Project, tmp_path: Path) -> None:
    elsewhere = Project([], [])
    assert elsewhere.find_module("pkg.utils", str(tmp_path / "pkg/kernels/deep/k.py")) == str(tmp_path / "pkg/utils.py")
    assert elsewhere.find_module("tools.lib.two", str(tmp_path / "tools/lib/one.py")) is None


def _be(path: Path, kind: str) -> None:
    """Makes another thing of what a name stands for."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    match kind:
        case "file":
            path.write_text("X = 1")
        case "directory":
            path.mkdir()
        case "pipe":
            os.mkfifo(path)
        case "link to nothing":
            path.symlink_to("nowhere")
        case _:
            assert kind == "nothing"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_whatever_becomes_of_a_name(tmp_path: Path) -> None:
    """Each kind of thing after each other, under one name at a time: a module is where a process that starts now finds
    it, and the file is read as it is."""
    names = [tmp_path / name for name in ("h.py", "h/__init__.py", "src/h.py")]
    for name in names:
        name.parent.mkdir(exist_ok=True)
    kinds = ("nothing", "file", "directory", "pipe", "link to nothing")
    importer = str(tmp_path / "use.py")
    project = Project([str(tmp_path)], [])
    told = 0
    for name in names:
        for other in product(*([kinds[:3]] * 2)):
            for beside, kind in zip((n for n in names if n != name), other, strict=True):
                _be(beside, kind)
                project.changed([str(beside)])
            for kind in (after for pair in permutations(kinds, 2) for after in pair):
                _be(name, kind)
                project.changed([str(name)])
                found = project.find_module("h", importer)
                assert found == Project([str(tmp_path)], []).find_module("h", importer), (name, other, kind)
                assert found is None or project.load(found).text == "X = 1"
                told += found is not None
    assert told > 500
