"""What a launch leaves out is nobody's error where something is put in the place of what is launched, which may pass
it: every way to put it there, in the kernel's file and in another."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import file_findings
from kernel_analysis.rules.subject import FileSubject

KERNELS = """\
import sys
import triton
import triton.language as tl


@triton.jit
def kernel(x, n, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), n)


HERE


def run(x):
    kernel[(1,)](x, 3)
"""
WITH = "lambda *given, **more: old(*given, BLOCK=16, **more)"
OTHER = (
    "class Other:\n    def __init__(self, f): self.f = f\n"
    "    def __getitem__(self, grid):\n        return lambda *given: self.f[grid](*given, BLOCK=16)\n\n\n"
)
INSTEAD = {
    "name": OTHER + "{m}kernel = Other({m}kernel)",
    "name by text": OTHER + "setattr({owner}, 'kernel', Other({m}kernel))",
    "run": f"old = {{m}}kernel.run\n{{m}}kernel.run = {WITH}",
    "run by text": f"old = {{m}}kernel.run\nsetattr({{m}}kernel, 'run', {WITH})",
    "run of a parameter": f"def change(f):\n    old = f.run\n    f.run = {WITH}\n\n\nchange({{m}}kernel)",
    "run of all": f"for one in ({{m}}kernel,):\n    old = one.run\n    one.run = {WITH}",
    "run of the class": f"old = triton.JITFunction.run\ntriton.JITFunction.run = {WITH}",
    "patched": (
        f"from unittest import mock\nold = {{m}}kernel.run\nmock.patch.object({{m}}kernel, 'run', {WITH}).start()"
    ),
}
NOTHING = {
    "called": "def run_it(x):\n    {m}kernel.run(x, 3, 16, grid=(1,), warmup=False)",
    "another's": "class Task:\n    def __init__(self, run):\n        self.run = run\n\n\nTask(print)",
    "named": "run = {m}kernel",
}
WHERE = {"here": ("", "sys.modules[__name__]"), "elsewhere": ("kernels.", "kernels")}


def severities(folder: Path, code: str, where: str) -> set[str]:
    m, owner = WHERE[where]
    code = code.format(m=m, owner=owner)
    here, other = (code, "") if where == "here" else ("", f"import kernels\nimport triton\n\n\n{code}\n")
    (folder / "kernels.py").write_text(KERNELS.replace("HERE", here))
    (folder / "other.py").write_text(other)
    project = Project([str(folder)], sys.path, patient=True)
    found = file_findings(FileSubject(project, project.module(str(folder / "kernels.py"))), {})
    return {one.severity for one in found if one.code == "launch-arguments"}


@pytest.mark.parametrize(("way", "where"), [*itertools.product(INSTEAD, WHERE)])
def test_something_in_its_place(tmp_path: Path, way: str, where: str) -> None:
    assert "error" not in severities(tmp_path, INSTEAD[way], where)


@pytest.mark.parametrize(("way", "where"), [*itertools.product(NOTHING, WHERE)])
def test_nothing_in_its_place(tmp_path: Path, way: str, where: str) -> None:
    assert severities(tmp_path, NOTHING[way], where) == {"error"}
