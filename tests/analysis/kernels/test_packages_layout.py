"""Where imports start: packages, folders in them that are none, the usual places of sources."""

from __future__ import annotations

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
