"""What a name means that an ``if`` or a ``try`` decides: the way that this Triton and the target go, where that can be
told; and why not, where not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, USE, sliced, value, why, write
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import (
    Constant,
    TritonObject,
)


def test_branches(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
try:
    from triton.language.extra import libdevice
except ImportError:
    from triton.language.extra.cuda import libdevice
try:
    from triton.language.extra.cuda.libdevice import tanh
except ModuleNotFoundError:
    from triton.language.math import tanh
if triton.__version__ >= "3.0.0":
    from triton.language.math import rsqrt
else:
    from triton.language import rsqrt
if hasattr(tl, "gather"):
    gather = tl.gather
else:
    gather = tl.load
try:
    import flash
    HAS = True
except ImportError:
    HAS = False
SIZE = 8 if HAS else 4
"""
        + USE.format("libdevice.exp(tanh(rsqrt(gather(SIZE))))"),
    )
    bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    assert bindings["libdevice"] == TritonObject("triton.language.extra.cuda.libdevice")
    assert bindings["tanh"] == TritonObject("triton.language.extra.cuda.libdevice.tanh")
    assert bindings["rsqrt"] == TritonObject("triton.language.math.rsqrt")
    assert bindings["gather"] == TritonObject("triton.language.load")
    size = bindings["SIZE"]
    assert isinstance(size, Constant)
    assert size.value == 4


FLAG = """
import os
from importlib.util import find_spec

HAS_TRITON = find_spec("triton") is not None
if HAS_TRITON:
    try:
        from triton.backends import backends

        active = [b for b in backends.values() if b.driver.is_active()]
        pinned = os.environ.get("PINNED")
        if pinned is None and len(active) != 1:
            HAS_TRITON = False
    except ImportError:
        HAS_TRITON = False
    except Exception:
        HAS_TRITON = False
"""
COMPAT = """
from typing import TYPE_CHECKING

from .flag import HAS_TRITON, Placeholder

if TYPE_CHECKING or {0}:
    import triton
    import triton.language as tl
else:
    triton = Placeholder()
    tl = None
"""


@pytest.mark.parametrize("flag", ["HAS_TRITON", "HAS_TRITON and driver.is_active()", "False"])
def test_triton_behind_a_flag_of_the_package(folder: Path, flag: str) -> None:
    """Whatever a look for a driver says here, where kernels are edited there is Triton."""
    project = write(
        folder,
        work__k="from compat import HAS_TRITON, tl, triton\nX = 1 if HAS_TRITON else 2\n" + USE.format("X"),
        work__compat____init=COMPAT.format(flag),
        work__compat__flag=FLAG,
        site__triton____init="",
        site__triton__language____init="",
        site__triton__backends____init="backends = discover()",
    )
    bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    assert bindings["tl"] == TritonObject("triton.language")
    size = bindings["X"]
    assert isinstance(size, Constant)
    assert size.value == 1


def test_a_statement_that_depends_on_those_above_it_in_a_try(folder: Path) -> None:
    code = "import os\ntry:\n    A = os.getpid()\n    B = A + 1\n    X = 1\nexcept ImportError:\n    X = 2\n"
    assert "whether the `try`" in likely(folder, code, 1)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="`except*` is of Python 3.11")
def test_a_group_of_handlers_may_run(folder: Path) -> None:
    for code in (
        "try:\n    W = f()\nexcept* ValueError:\n    W = 64",
        "try:\n    f()\nexcept* E:\n    pass\nelse:\n    W = 3",
    ):
        assert why(value(folder, f"W = 16\n{code}\n", "W"))


def test_undecidable_branch_says_so(folder: Path) -> None:
    reason = likely(folder, "import sky\nif sky.is_blue():\n    X = 1\nelse:\n    X = 2\n", 1)
    assert "`sky.is_blue()` (line 4" in reason


def likely(folder: Path, code: str, expected: object) -> str:
    """What ``X`` is likely to be after ``code``; why it may be something else."""
    project = write(folder, work__m=f"{HEAD}{code}{USE.format('X')}")
    kernel = sliced(project, folder / "work/m.py", "kernel").functions[0]
    constant = kernel.bindings["X"]
    assert isinstance(constant, Constant)
    assert constant.value == expected
    return kernel.varies["X"]


def test_the_branch_that_the_installed_triton_has(folder: Path) -> None:
    write(
        folder,
        site__triton____init="",
        site__triton__language____init="from .core import cast",
        site__triton__language__core="def cast(): ...",
        site__triton__language__math="",
    )
    code = "if open('x').read():\n    X = tl.math.tanh\nelse:\n    X = tl.cast"
    assert value(folder, code) == TritonObject("triton.language.cast")


def test_both_branches_alike(folder: Path) -> None:
    assert isinstance(value(folder, "if ask():\n    X = 1\nelse:\n    X = 1\n"), Constant)


def test_target_answers_for_hardware(folder: Path) -> None:
    code = (
        HEAD
        + """
import torch
def is_hip():
    return triton.runtime.driver.active.get_current_target().backend == "hip"
X = tl.constexpr(1 if is_hip() else 2)
Y = tl.constexpr(torch.cuda.get_device_capability()[0] if torch.version.hip is None else -1)
"""
        + USE.format("X + Y")
    )
    project = write(folder, work__k=code)
    for target, expected in (("cuda:90", [2, 9]), ("hip:gfx942", [1, -1]), ("cuda:100", [2, 10])):
        project = Project([str(folder / "work")], [str(folder / "site")], target)
        bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
        assert [c.value for c in (bindings["X"], bindings["Y"]) if isinstance(c, Constant)] == expected


@pytest.mark.parametrize(("target", "threads"), [("cuda:90", 32), ("hip:gfx942", 64), ("hip:gfx1100", 32)])
def test_threads_of_a_warp(folder: Path, target: str, threads: int) -> None:
    code = HEAD + "X = triton.runtime.driver.active.get_current_target().warp_size\n" + USE.format("X")
    write(folder, work__k=code)
    project = Project([str(folder / "work")], [str(folder / "site")], target)
    found = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings["X"]
    assert isinstance(found, Constant)
    assert found.value == threads


def test_a_platform_that_cannot_be_followed_answers_for_the_target(folder: Path) -> None:
    code = HEAD + "from platforms import current\nX = 1 if current.is_rocm() else 2 if current.is_xpu() else 3\n"
    project = write(folder, work__k=code + USE.format("X"), work__platforms="def __getattr__(name): ...\n")
    for target, expected in (("cuda:90", 3), ("hip:gfx942", 1)):
        project = Project([str(folder / "work")], [str(folder / "site")], target)
        found = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings["X"]
        assert isinstance(found, Constant)
        assert found.value == expected
