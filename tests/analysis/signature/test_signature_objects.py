"""What a launch passes that is an attribute of an object: made beside it, given by a function or a caller, or known by
the class alone that its annotation names."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_analysis.host.evaluate.argument import HostArgument, supposed
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched

HEAD = """
import torch
import triton
import triton.language as tl
from dataclasses import dataclass
from typing import NamedTuple, Optional


@triton.jit
def k(x, n, BLOCK: tl.constexpr):
    pass


@dataclass
class Fields:
    x: torch.Tensor
    n: int
    BLOCK: int = 64


class Stored:
    def __init__(self, x: torch.Tensor, n: int, BLOCK=64):
        self.x = x
        self.n = n
        self.BLOCK = BLOCK


class Named(NamedTuple):
    x: torch.Tensor
    n: int
    BLOCK: int = 64


"""
LAUNCH = "    k[(1,)](c.x, c.n, BLOCK=c.BLOCK)\n"
CLASSES = ("Fields", "Stored", "Named")


def told(folder: Path, text: str) -> dict[str, HostArgument]:
    (folder / "main.py").write_text(HEAD + text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    function = project.module(str(folder / "main.py")).functions[0]
    (passed,) = launched.arguments(project, function, project.launches_of(function))
    return dict(passed)


@pytest.mark.parametrize("annotation", ["{}", '"{}"', "Optional[{}]", "{} | None", '"{} | None"'])
@pytest.mark.parametrize("cls", CLASSES)
def test_by_the_class_that_an_annotation_names(cls: str, annotation: str, tmp_path: Path) -> None:
    found = told(tmp_path, f"def run(c: {annotation.format(cls)}):\n{LAUNCH}")
    assert [found[name].kind for name in ("x", "n", "BLOCK")] == ["tensor", "int", "int"]
    assert found["BLOCK"].likely == 64
    assert not any(one.sure and not one.varies for one in found.values())


@pytest.mark.parametrize("cls", CLASSES)
def test_what_a_caller_makes(cls: str, tmp_path: Path) -> None:
    text = f"def run(c):\n{LAUNCH}\n\ndef main():\n    run({cls}(torch.zeros(4), 3, BLOCK=256))\n"
    found = told(tmp_path, text)
    if cls != "Named":  # of a tuple no more goes to a parameter than that it is one
        assert (found["x"].dtype, supposed(found["BLOCK"])) == ("fp32", 256)
    assert not any(one.sure and not one.varies for one in found.values())


@pytest.mark.parametrize("cls", CLASSES)
def test_made_beside_the_launch(cls: str, tmp_path: Path) -> None:
    found = told(tmp_path, f"def run(x):\n    c = {cls}(x, 3, BLOCK=128)\n{LAUNCH}")
    assert found["BLOCK"].value == 128
    assert found["BLOCK"].sure


@pytest.mark.parametrize("cls", ["Fields", "Stored"])
def test_set_by_who_is_given_it(cls: str, tmp_path: Path) -> None:
    found = told(tmp_path, f"def run(x, other):\n    c = {cls}(x, 3, BLOCK=128)\n    other(c)\n{LAUNCH}")["BLOCK"]
    assert supposed(found) == 128
    assert found.varies or not found.sure


@pytest.mark.parametrize("cls", CLASSES)
def test_what_a_function_gives(cls: str, tmp_path: Path) -> None:
    text = f"def make(x, n):\n    return {cls}(x, n, BLOCK=128)\n\n\ndef run(x, m: int):\n    c = make(x, m)\n{LAUNCH}"
    assert supposed(told(tmp_path, text)["BLOCK"]) == 128


def test_fields_of_the_object_whose_method_launches(tmp_path: Path) -> None:
    text = "@dataclass\nclass Op:\n    x: torch.Tensor\n    n: int\n    BLOCK: int = 16\n\n    def run(self):\n"
    found = told(tmp_path, text + "        k[(1,)](self.x, self.n, BLOCK=self.BLOCK)\n")
    assert [found[name].kind for name in ("x", "n", "BLOCK")] == ["tensor", "int", "int"]
    assert found["BLOCK"].likely == 16
