"""Every way to write a jit function is found; what only looks like one is not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, find, names, write

BODY = "\ndef kernel(p, N: tl.constexpr = 4):\n    tl.store(p, N)\n"


@pytest.mark.parametrize(
    "decoration",
    [
        "import triton\n@triton.jit",
        "import triton as T\n@T.jit",
        "from triton import jit\n@jit",
        "from triton import jit as J\n@J",
        "import triton\n@triton.jit(do_not_specialize=['p'])",
        "import triton.runtime.jit\n@triton.runtime.jit.jit",
        "from triton.runtime.jit import jit\n@jit(noinline=True)",
        "import triton\nfrom functools import partial\nmine = partial(triton.jit, noinline=True)\n@mine",
        "import functools, triton\n@functools.partial(triton.jit, noinline=True)",
        "import triton\nfast = mine = triton.jit\n@mine",
        "import triton\ndef mine(fn):\n    return triton.jit(fn)\n@mine",
        "import triton\ndef mine():\n    def apply(fn):\n        return triton.jit(fn)\n    return apply\n@mine()",
        "import triton\nfrom elsewhere import tuned\n@tuned('x')\n@triton.jit",
        "try:\n    import triton\nexcept ImportError:\n    triton = None\n@triton.jit",
        "import importlib.util\nif importlib.util.find_spec('triton'):\n    import triton\n@triton.jit",
        "import triton\n@triton.autotune(configs=make(), key=['N'])\n@triton.jit",
        "import triton\n@triton.heuristics({'N': lambda a: 8})\n@triton.jit",
    ],
)
def test_decorators(folder: Path, decoration: str) -> None:
    project = write(folder, work__k="import triton.language as tl\n" + decoration + BODY)
    assert names(project, folder / "work/k.py") == ["kernel"]


@pytest.mark.parametrize(
    "code",
    [
        "import numba\n@numba.jit",
        "import torch\n@torch.jit.script",
        "import jax\n@jax.jit",
        "def jit(fn):\n    return fn\n@jit",
        "import triton\ndef other(fn):\n    return fn\n@other",
    ],
)
def test_not_jit_functions(folder: Path, code: str) -> None:
    project = write(folder, work__k="import triton.language as tl\n" + code + BODY)
    assert names(project, folder / "work/k.py") == []


def test_gluon(folder: Path) -> None:
    project = write(folder, work__k="from triton.experimental import gluon\n@gluon.jit\ndef kernel(p):\n    pass\n")
    assert find(project, folder / "work/k.py", "kernel").gluon


def test_reexported_decorator(folder: Path) -> None:
    project = write(
        folder,
        work__pkg__init="",
        work__pkg__compat="try:\n    import triton\n    import triton.language as tl\nexcept ImportError:\n"
        "    triton = tl = None\n",
        work__pkg__k="from .compat import tl, triton\n@triton.jit" + BODY,
    )
    found = find(project, folder / "work/pkg/k.py", "kernel")
    assert found.module == "pkg.k"
    assert found.parameters[1].constexpr


def test_changed_decorator_module_is_noticed(folder: Path) -> None:
    project = write(
        folder,
        work__compat="from triton import jit\n",
        work__k="from compat import jit\n@jit\ndef kernel(p):\n    pass\n",
    )
    file = folder / "work/k.py"
    assert names(project, file) == ["kernel"]
    project.set_text(str(folder / "work/compat.py"), "def jit(fn):\n    return fn\n")
    assert names(project, file) == []
    project.set_text(str(folder / "work/compat.py"), None)
    assert names(project, file) == ["kernel"]


def test_nested_everywhere(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
class A:
    @staticmethod
    @triton.jit
    def method(p):
        pass

def make(n):
    @triton.jit
    def inner(p):
        pass
    return inner

if n:
    @triton.jit
    def chosen(p):
        pass
else:
    try:
        @triton.jit
        def other(p):
            pass
    finally:
        pass

with x:
    for i in range(3):
        @triton.jit
        def looped(p):
            pass
""",
    )
    expected = ["A.method", "make.<locals>.inner", "chosen", "other", "looped"]
    assert names(project, folder / "work/k.py") == expected
    assert [type(n) for n in find(project, folder / "work/k.py", "inner").scope] == [ast.FunctionDef]


def test_called_decorators(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
def a(p):
    pass
def b(p, N: tl.constexpr):
    pass
def c(p):
    pass
def d(p):
    pass
first = triton.jit(a)
second = triton.autotune(configs=[triton.Config({"N": 4})], key=[])(triton.jit(b))
def make():
    return triton.jit(d)
""",
    )
    file = folder / "work/k.py"
    assert names(project, file) == ["a", "b", "d"]
    assert ast.unparse(find(project, file, "b").configs[0]["N"]) == "4"


def configs(folder: Path, code: str) -> list[dict[str, object]]:
    project = write(
        folder,
        work__k=HEAD + code + "\n@triton.jit\ndef kernel(p, N: tl.constexpr, num_warps: tl.constexpr):\n    pass\n",
    )
    found = find(project, folder / "work/k.py", "kernel")
    assert found.autotuned
    assert found.decorated
    return [{k: ast.literal_eval(v) for k, v in c.items()} for c in found.configs]


def test_configs(folder: Path) -> None:
    assert configs(
        folder, "@triton.autotune([triton.Config({'N': 8}, num_warps=2), triton.Config(kwargs=dict(N=16))], key=[])"
    ) == [
        {"N": 8, "num_warps": 2},
        {"N": 16, "num_warps": 4},
    ]


def test_configs_from_a_comprehension(folder: Path) -> None:
    code = """
SIZES = [32, 64]
CONFIGS = [triton.Config({'N': n}, num_warps=w) for n in SIZES for w in (4, 8) if n * w < 512]
def keep(config):
    return config.kwargs["N"] > 1
@triton.autotune(configs=list(filter(keep, CONFIGS)), key=['N'])"""
    found = configs(folder, code)
    assert found == [{"N": 32, "num_warps": 4}, {"N": 32, "num_warps": 8}, {"N": 64, "num_warps": 4}]


def test_configs_from_a_function(folder: Path) -> None:
    code = """
import itertools
def get_configs(small=True):
    found = []
    for n, w in itertools.product([16, 32], [1]):
        found.append(triton.Config({'N': n}, num_warps=w))
    if small:
        found += [triton.Config({'N': 1}, num_warps=1)]
    return found
@triton.autotune(configs=get_configs(), key=['N'])"""
    assert [c["N"] for c in configs(folder, code)] == [16, 32, 1]


def test_configs_that_running_would_choose(folder: Path) -> None:
    code = """
def get_configs():
    if ask_the_moon():
        return [triton.Config({'N': 16}, num_warps=1)]
    return [triton.Config({'N': 32}, num_warps=1)]
@triton.autotune(configs=get_configs(), key=['N'])"""
    assert [c["N"] for c in configs(folder, code)] == [16, 32]
    assert configs(folder, "@triton.autotune(configs=somewhere.configs, key=[])") == []


def test_heuristics_and_wrappers(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
def even(args):
    return args["n"] % 2 == 0
@outer("a", b=1)
@triton.heuristics({"EVEN": even, "N": lambda args: 4})
@triton.jit(do_not_specialize=["n"])
def kernel(p, n, EVEN: tl.constexpr, N: "tl.constexpr", q: tl.const, *rest):
    pass
""",
    )
    found = find(project, folder / "work/k.py", "kernel")
    assert {k: ast.unparse(v) for k, v in found.heuristics.items()} == {"EVEN": "even", "N": "lambda args: 4"}
    assert found.wrappers == ["outer('a', b=1)"]
    assert [(p.name, p.constexpr, p.const) for p in found.parameters] == [
        ("p", False, False), ("n", False, False), ("EVEN", True, False),
        ("N", True, False), ("q", False, True), ("rest", False, False),
    ]  # fmt: skip
    assert found.parameters[-1].kind == "vararg"
    assert ast.unparse(found.options["do_not_specialize"]) == "['n']"


def test_launches(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
@triton.jit
def kernel(p, N: tl.constexpr):
    pass

@triton.jit
def other(p, N: tl.constexpr):
    pass

def run(x, fast):
    kernel[(1,)](x, N=4)
    chosen = kernel if fast else other
    chosen[
        lambda meta: (1,)
    ](x, N=8)
    kernel.warmup(x, N=4, grid=(2,))
    kernel.run(x, N=4, grid=(3,))
    table[0](x)
""",
        work__use="import k\nfrom k import other as o\n\n"
        "def f(x):\n    with x:\n        k.kernel[(9,)](x)\n    return o[(1,)](x)\n",
    )
    file = folder / "work/k.py"
    kernel, other = find(project, file, "kernel"), find(project, file, "other")
    assert [ast.unparse(n.grid) for n in kernel.launches if n.grid] == ["(1,)", "lambda meta: (1,)", "(2,)", "(3,)"]
    assert [n.call.lineno for n in other.launches] == [15]
    assert [s.name for s in kernel.launches[0].scope] == ["run"]
    use = project.module(str(folder / "work/use.py"))
    assert [(f.name, n.call.lineno) for f, n in project.launches_in(use)] == [("kernel", 6), ("other", 7)]


def test_launches_through_what_wraps_picks_and_binds(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
import functools
from torch.library import wrap_triton

@triton.jit
def one(p, N: tl.constexpr):
    pass

@triton.jit
def two(p, N: tl.constexpr):
    pass

default = one if flag() else two
table = {"a": one, "b": {"c": two}}

def pick(fast):
    if fast:
        return one
    return two

def run(x, fast, key):
    wrap_triton(one)[(1,)](x, 1)
    default[(1,)](x, 2)
    pick(fast)[(1,)](x, 3)
    table["b"]["c"][(1,)](x, 4)
    table["b"][key][(1,)](x, 5)
    launch = one[(1,)]
    launch(x, 6)
    bound = functools.partial(two[(1,)], x)
    bound(N=7)
    functools.partial(one[(1,)], N=0)(x, N=8)
    chosen = table[key]
    chosen[(1,)](x, 9)
""",
    )
    file = folder / "work/k.py"

    def passed(name: str) -> list[str]:
        return [ast.unparse(n.call.args[-1] if len(n.call.args) > 1 else n.call.keywords[-1].value)
                for n in find(project, file, name).launches]  # fmt: skip

    assert passed("one") == ["1", "2", "3", "6", "8", "9"]
    assert passed("two") == ["2", "3", "4", "5", "7"]


def test_launches_by_functions_that_kernels_are_handed_to(folder: Path) -> None:
    project = write(
        folder,
        work__launching="def launch(kernel, grid, args, **meta):\n    kernel[grid](*args, **meta)\n",
        work__k=HEAD
        + """
from launching import launch

@triton.jit
def one(p, N: tl.constexpr):
    pass

@triton.jit
def two(p, N: tl.constexpr):
    pass

def show(kernel):
    print(kernel)

def run(x, fast):
    launch(one if fast else two, (1,), (x,), N=2)
    show(one)
""",
    )
    kernel = find(project, folder / "work/k.py", "one")
    assert [launch.place for launch in kernel.launches] == [(str(folder / "work/k.py"), 18)]
    assert kernel.launches[0].files == {str(folder / "work/k.py"), str(folder / "work/launching.py")}
    assert len(find(project, folder / "work/k.py", "two").launches) == 1


def test_a_decorator_that_raises_or_never_ends_is_not_followed_and_costs_nobody_else(folder: Path) -> None:
    project = write(
        folder,
        work__k=HEAD
        + """
registry = {}

def told(fn):
    names = {}
    names.pop("absent")
    return triton.jit(fn)

def endless(fn):
    for a in range(1000):
        for b in range(1000):
            registry[a] = b
    return fn

@told
def first(p):
    tl.store(p, 1)

@endless
def second(p):
    pass

@endless
def third(p):
    pass

@triton.jit
def kernel(p):
    tl.store(p, 1)
""",
    )
    assert names(project, folder / "work/k.py") == ["first", "kernel"]


def test_what_a_function_computes_is_not_followed_for_what_it_does(folder: Path) -> None:
    """Its own values have a ``load`` in many another language, and may come from anywhere in a large library."""
    text = """
import library
from elsewhere import unknown

@unknown
def first(p, n):
    tile = library.tile(p)
    half = tile if n else library.tile(n)
    half.store(tile.load() + (half + 1).load())

def second(p):
    tile = library.tile(p)
    tile.store(tile.load())
"""
    project = write(folder, work__k=text, work__library="def tile(p):\n    return p\n")
    assert names(project, folder / "work/k.py") == []
    assert project.read_at(str(folder / "work/library.py")) is None
    told = text.replace("half.store", "library.store")
    project = write(folder, work__k=told, work__library="def store(p):\n    return p\n")
    assert names(project, folder / "work/k.py") == []
    assert project.read_at(str(folder / "work/library.py")) is not None
