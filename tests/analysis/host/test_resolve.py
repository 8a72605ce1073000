"""What the names in a kernel mean: across files, through re-exports, branches and closures; and why not, where not."""

from __future__ import annotations

import functools
import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
import triton

from analysis.small_projects import HEAD, bound, sliced, value, why, write
from kernel_analysis.host.names.packages import triton_parameters
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import (
    Constant,
    FunctionRef,
    NamedTupleClass,
    NamedTupleValue,
    Namespace,
    TorchDtype,
    TritonObject,
)  # fmt: skip

HELPER = HEAD + "@triton.jit\ndef helper(x):\n    return x + 1\n"
USE = "\n@triton.jit\ndef kernel(p):\n    tl.store(p, {0})\n"


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
            "from dataclasses import dataclass\n@dataclass\nclass C:\n    a: int = 1\nX = C()",
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
