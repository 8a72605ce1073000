"""What the names in a kernel mean: across files, through re-exports and closures; and why not, where not."""

from __future__ import annotations

import functools
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
import triton

from analysis.small_projects import HEAD, USE, bound, sliced, value, why, write
from kernel_analysis.host.names.imports.packages import triton_parameters
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import (
    Constant,
    FunctionRef,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    TorchDtype,
)  # fmt: skip

HELPER = HEAD + "@triton.jit\ndef helper(x):\n    return x + 1\n"


def test_helpers_across_files(folder: Path) -> None:
    project = write(
        folder,
        work__pkg__init="from .ops import *\nfrom . import deep\n",
        work__pkg__ops="from .deep.helpers import helper as public\n_hidden = 1\n__all__ = ['public']\n",
        work__pkg__deep__init="",
        work__pkg__deep__helpers=HELPER,
        work__k=HEAD
        + "import pkg\nfrom pkg import public\nimport pkg.deep.helpers as h\n"
        + USE.format("public(pkg.public(h.helper(1)))"),
    )
    found = sliced(project, folder / "work/k.py", "kernel")
    assert [f.name for f in found.functions] == ["kernel", "helper"]
    assert found.functions[0].bindings["public"] == FunctionRef(1)
    assert found.functions[0].bindings["pkg"] == Namespace("pkg", {"public": FunctionRef(1)})
    assert found.functions[0].bindings["h"] == Namespace("h", {"helper": FunctionRef(1)})
    assert found.functions[1].file == str(folder / "work/pkg/deep/helpers.py")
    assert str(folder / "work/pkg/ops.py") in found.files


def test_installed_and_namespace_packages(folder: Path) -> None:
    project = write(
        folder,
        site__lib__init="",
        site__lib__helpers=HELPER,
        site__spaced__inner__h=HELPER,
        work__src__mine__tools=HELPER,
        work__k=HEAD
        + "from lib.helpers import helper as a\nfrom spaced.inner import h\nfrom mine import tools\n"
        + USE.format("a(h.helper(tools.helper(1)))"),
    )
    found = sliced(project, folder / "work/k.py", "kernel")
    assert len(found.functions) == 4
    assert {f.file for f in found.functions[1:]} == {
        str(folder / p) for p in ("site/lib/helpers.py", "site/spaced/inner/h.py", "work/src/mine/tools.py")
    }


def test_editable_installs(folder: Path) -> None:
    write(folder, away__one__init=HELPER, away__two__init=HELPER, lone=HELPER)
    (folder / "site/one.pth").write_text(f"# a comment\nimport os; os.remove('/nothing')\n{folder / 'away'}\n")
    (folder / "site/__editable___x_finder.py").write_text(
        f"MAPPING: dict[str, str] = {{'three': {str(folder / 'away/two')!r}}}\n"
    )
    project = write(
        folder, work__k=HEAD + "from one import helper as a\nfrom three import helper as b\n" + USE.format("a(b(1))")
    )
    assert len(sliced(project, folder / "work/k.py", "kernel").functions) == 3


def test_import_cycles_end(folder: Path) -> None:
    project = write(
        folder,
        work__a="from b import helper, gone\n",
        work__b="from a import helper, gone\nfrom c import *\n",
        work__c="from b import *\n",
        work__k=HEAD
        + "from a import helper, gone\nfrom c import nothing\nX = X\n"
        + USE.format("helper(gone + nothing + X)"),
    )
    bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    assert "gone" in why(bindings["gone"])
    assert "nothing" in why(bindings["nothing"])
    assert why(bindings["X"]) == "`X` is not defined." or "X" in why(bindings["X"])


def test_submodule_named_like_a_package(folder: Path) -> None:
    project = write(
        folder,
        work__p__init="from . import part\nfrom .part import part as fn\n",
        work__p__part=HEAD + "@triton.jit\ndef part(x):\n    return x\n",
        work__k=HEAD + "from p import part, fn\n" + USE.format("fn(part.part(1))"),
    )
    bindings = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    assert bindings["fn"] == FunctionRef(1)
    assert bindings["part"] == Namespace("part", {"part": FunctionRef(1)})


def test_missing_module_is_watched_for(folder: Path) -> None:
    project = write(folder, work__k=HEAD + "from later import helper\n" + USE.format("helper(1)"))
    file = folder / "work/k.py"
    found = sliced(project, file, "kernel")
    assert "`later` was not found" in why(found.functions[0].bindings["helper"])
    assert str(folder / "work/later.py") in found.files
    (folder / "work/later.py").write_text(HELPER)
    project.changed([str(folder / "work/later.py")])
    assert len(sliced(project, file, "kernel").functions) == 2
    project.set_text(str(folder / "work/later.py"), HEAD)
    assert "has no `helper`" in why(bound(project, file, "helper"))


def test_closures_and_class_scope(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
N = 1
class Outer:
    N = 2
    @triton.jit
    def method(p):
        tl.store(p, N)
def make(size):
    local = tl.constexpr(3)
    @triton.jit
    def kernel(p):
        tl.store(p, local + size + N)
    N = tl.constexpr(4)
    return kernel
N = 5
""",
    )
    file = folder / "work/k.py"
    outside = bound(project, file, "N", "method")
    assert isinstance(outside, Constant)
    assert outside.value == 5
    local = bound(project, file, "local")
    assert isinstance(local, Constant)
    assert (local.value, local.constexpr, local.span.line) == (3, True, 11)
    assert "parameter of `make`" in why(bound(project, file, "size"))
    captured = bound(project, file, "N")
    assert isinstance(captured, Constant)
    assert captured.value == 4


def test_locals_are_not_bound(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
x = exp = 1
D = 7
@triton.jit
def kernel(p, q: tl.constexpr = D, r: "tl.constexpr" = 1):
    x = tl.load(p)
    for i in range(3):
        exp = x + i
    a, (b, c) = 1, (2, 3)
    y: tl.constexpr = [k for k in (1, 2)]
    tl.store(p, x + a + b + c + y + max(1, 2))
""",
    )
    assert set(sliced(project, folder / "work/k.py", "kernel").functions[0].bindings) == {"tl", "D"}


def test_annotation_names(folder: Path) -> None:
    project = write(
        folder, work__k=HEAD + "import torch\n@triton.jit\ndef kernel(p: torch.Tensor, n: tl.constexpr):\n    pass\n"
    )
    made = sliced(project, folder / "work/k.py", "kernel").functions[0]
    assert made.annotation_names == {"torch", "tl"}


def test_namedtuples_and_enums(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
from enum import Enum, IntEnum, auto
from typing import NamedTuple
from collections import namedtuple
import torch
class Pair(NamedTuple):
    a: int
    b: int = 2
Old = namedtuple("Old", ["x", "y"])
class Mode(Enum):
    A = "a"
    B = auto()
class Level(IntEnum):
    LOW = 1
P = tl.constexpr(Pair(1))
O = Old(3, y=4)
L = Level.LOW
D = tl.constexpr(torch.float16)
"""
        + USE.format("Pair(1, 2).a + P.a + O.x + Mode.A.value + Level.LOW + L + D"),
    )
    found = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings
    values = {n: b.value for n, b in found.items() if isinstance(b, Constant)}
    assert found["Pair"] == NamedTupleClass("Pair", ("a", "b"), (2,))
    assert values["P"] == NamedTupleValue("Pair", ("a", "b"), (1, 2))
    assert values["O"] == NamedTupleValue("Old", ("x", "y"), (3, 4))
    assert (values["L"], values["D"]) == (1, TorchDtype("float16"))
    mode, level = found["Mode"], found["Level"]
    assert isinstance(mode, Namespace)
    assert isinstance(level, Namespace)
    inner = mode.members["A"]
    assert isinstance(inner, Namespace)
    assert isinstance(inner.members["value"], Constant)
    assert inner.members["value"].value == "a"
    low = level.members["LOW"]
    assert isinstance(low, Constant)
    assert low.value == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import socket\nX = socket.gethostname()", "`socket.gethostname()`"),
        ("def X(a):\n    return a", "plain Python function"),
        ("class X:\n    pass", "class"),
        ("X = {1: 2}", "dict"),
        ("import numpy\nX = numpy.random", "`numpy.random`, which is not Triton's"),
        ("from nowhere import X", "`nowhere` was not found"),
        ("for X in (1, 2):\n    pass", "loop"),
        ("X = 1\ndel X", "deleted"),
        (
            "class C:\n    def __new__(cls):\n        return object.__new__(cls)\nX = C()",
            "running the class's code",
        ),
    ],
)
def test_reasons(folder: Path, code: str, words: str) -> None:
    reason = why(value(folder, code))
    assert words in reason
    assert "X" in reason
    assert reason.endswith(".")


def test_constexpr_functions(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
@triton.constexpr_function
def double(x):
    return x * FACTOR
@tl.constexpr
def old(x):
    return x
FACTOR = 2
"""
        + USE.format("double(old(1))"),
    )
    found = sliced(project, folder / "work/k.py", "kernel")
    assert [(f.name, f.kind) for f in found.functions] == [
        ("kernel", "jit"), ("double", "constexpr_function"), ("old", "constexpr_function"),
    ]  # fmt: skip
    assert isinstance(found.functions[1].bindings["FACTOR"], Constant)


def test_an_editable_install_of_a_package_in_a_namespace(folder: Path) -> None:
    write(folder, away__one__init="", away__one__deep=HELPER)
    (folder / "site/__editable___x_finder.py").write_text(
        f"MAPPING: dict[str, str] = {{'space.one': {str(folder / 'away/one')!r}}}\n"
    )
    text = HEAD + "import space.one.deep\nfrom space.one.deep import helper as a\n"
    project = write(folder, work__k=text + USE.format("a(space.one.deep.helper(1))"))
    assert len(sliced(project, folder / "work/k.py", "kernel").functions) == 2


def test_where_links_of_a_strict_editable_install_lead_may_be_read(folder: Path) -> None:
    write(folder, away__real__init=HELPER)
    links = folder / "build/__editable__.real-1.0-py3-none-any/real"
    links.mkdir(parents=True)
    (links / "__init__.py").symlink_to(folder / "away/real/__init__.py")
    (folder / "site/real.pth").write_text(f"{links.parent}\n")
    project = write(folder, work__k=HEAD + "from real import helper\n" + USE.format("helper(1)"))
    assert len(sliced(project, folder / "work/k.py", "kernel").functions) == 2
    assert str((folder / "away/real").resolve()) in project.installed


@pytest.mark.parametrize("path", ["autotune", "Config", "language.dot", "language.range", "language.load", "cdiv"])
def test_what_functions_of_triton_take(folder: Path, path: str) -> None:
    installed = [entry for entry in sys.path if (Path(entry) / "triton").is_dir()]
    project = Project([str(folder)], installed)
    found = triton_parameters(project.resolver, f"triton.{path}")
    real: Any = functools.reduce(getattr, path.split("."), triton)
    if found is None:
        assert path == "cdiv", "only of what Triton wraps it is not said"
    else:
        assert found == tuple(inspect.signature(real).parameters)


def test_a_long_enum_counts_on_in_time_that_grows_with_it(folder: Path) -> None:
    members = "".join(f"    M{number} = auto()\n" for number in range(300))
    code = f"from enum import IntEnum, auto\n{HEAD}\nclass Kind(IntEnum):\n    FIRST = 10\n{members}"
    project = write(folder, work__k=code + "X = Kind.M299.value\n" + USE.format("X"))
    bound = sliced(project, folder / "work/k.py", "kernel").functions[0].bindings["X"]
    assert isinstance(bound, Constant)
    assert bound.value == 310


def test_how_many_devices_there_are_is_a_guess(folder: Path) -> None:
    code = (
        "import torch\n"
        + HEAD
        + """
CAPABILITIES = [torch.cuda.get_device_capability(i) for i in range(torch.cuda.device_count())]
X = tl.constexpr("tf32" if all(c[0] >= 8 for c in CAPABILITIES) else "ieee")
"""
    )
    project = write(folder, work__k=code + USE.format("X"))
    function = sliced(project, folder / "work/k.py", "kernel").functions[0]
    bound = function.bindings["X"]
    assert isinstance(bound, Constant)
    assert bound.value == "tf32"
    assert function.varies["X"] == "it depends on `torch.cuda.device_count()`"
