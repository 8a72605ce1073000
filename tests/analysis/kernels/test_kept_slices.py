"""The slice of a function that is kept while others are edited is the one that is cut of the files as they are."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import At, Slice

FILES = {
    "consts.py": "SIZE = 4\n\n\ndef other():\n    return 3\n",
    "helpers.py": """import triton
import triton.language as tl

import consts

SHIFT = tl.constexpr(1)


@triton.jit
def inner(x):
    return x + SHIFT


@triton.jit
def outer(x, n: tl.constexpr = consts.SIZE):
    return inner(x) * n
""",
    "kernels.py": """import triton
import triton.language as tl

import helpers
from consts import SIZE

FLAG = tl.constexpr(True)


@triton.constexpr_function
def twice(n):
    return 2 * n


def made(k):
    @triton.jit
    def nested(p):
        tl.store(p, k)
    return nested


@triton.jit
def first(p, n):
    tl.store(p, helpers.outer(n))


@triton.jit
def second(p, q, N: tl.constexpr = SIZE):
    if FLAG:
        tl.store(p, twice(N))
    tl.store(q, helpers.inner(N))


kernel = made(3)


def run(x, n):
    first[(1,)](x, n)
    second[(1,)](x, x, 2)
""",
    "use.py": "import consts\nimport helpers\n\n\ndef change():\n    pass\n",
}
EDITS = (
    # In the body of one function.
    ("kernels.py", "tl.store(p, helpers.outer(n))", "tl.store(p, helpers.outer(n) + 1)"),
    ("kernels.py", "tl.store(p, helpers.outer(n))", "tl.store(p, helpers.inner(n))  # comment"),
    ("kernels.py", "tl.store(q, helpers.inner(N))", "tl.load(q, N)"),
    ("kernels.py", "tl.store(q, helpers.inner(N))", "tl.store(q,\n             N)"),
    ("kernels.py", "tl.store(p, k)", "tl.store(p, k + SIZE)"),
    ("helpers.py", "return x + SHIFT", "return x - SHIFT"),
    ("helpers.py", "return inner(x) * n", "return x * n"),
    # In what is around them.
    ("kernels.py", "return 2 * n", "return 3 * n"),
    ("kernels.py", "FLAG = tl.constexpr(True)", "FLAG = tl.constexpr(False)"),
    ("kernels.py", "kernel = made(3)", "kernel = made(4)"),
    ("kernels.py", "@triton.jit\ndef second", "@triton.jit(noinline=True)\ndef second"),
    ("kernels.py", "@triton.jit\ndef first", "@triton.autotune([], [])\n@triton.jit\ndef first"),
    ("kernels.py", "second[(1,)](x, x, 2)", "second[(1,)](x, x)"),
    ("kernels.py", "    first[(1,)](x, n)\n", ""),
    ("kernels.py", "import helpers\n", "import helpers\n\nhelpers.SHIFT = 2\n"),
    ("helpers.py", "SHIFT = tl.constexpr(1)", "SHIFT = tl.constexpr(5)"),
    ("helpers.py", "import consts\n", "import consts\n\n\ndef inner(x):\n    return 1\n"),
    ("consts.py", "SIZE = 4", "SIZE = 8"),
    ("consts.py", "return 3", "global SIZE\n    SIZE = 3"),
    ("use.py", "    pass", "    consts.SIZE = 5"),
    ("use.py", "    pass", "    helpers.inner = len"),
    ("use.py", "    pass", "    setattr(helpers, input(), 1)"),
)


def said(slice_: Slice) -> tuple[object, ...]:
    """All that there is in a slice, with the places of its nodes."""
    functions = [(f.qualname, f.digest, f.options, f.bindings, f.varies, f.others, f.gluon) for f in slice_.functions]
    places = [slice_.span(At(n, node)) for n, f in enumerate(slice_.functions) for node in range(len(f.nodes))]
    return slice_.hash, slice_.helpers_hash, slice_.files, slice_.autotuned, str(functions), places


def all_slices(project: Project, root: Path) -> dict[str, tuple[object, ...] | str]:
    found: dict[str, tuple[object, ...] | str] = {}
    for name in ("kernels.py", "helpers.py"):
        for function in project.functions(project.module(str(root / name))):
            try:
                found[function.qualname] = said(cut(project, function))
            except NotCut as why:
                found[function.qualname] = str(why)
    return found


def settled(project: Project, root: Path) -> Project:
    """Everything is read that may say something of the kernels."""
    for _ in range(2):  # what is read for a function may lead to more
        all_slices(project, root)
        while project.elsewhere.busy:
            project.elsewhere.work()
    project.elsewhere.catch_up(str(root / "kernels.py"))
    return project


@pytest.mark.parametrize("seed", range(8))
def test_what_is_kept_is_what_would_be_cut(tmp_path: Path, seed: int) -> None:
    choice = random.Random(seed)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    lived = Project([str(tmp_path)], sys.path)
    for name, text in FILES.items():
        lived.set_text(str(tmp_path / name), text)
    settled(lived, tmp_path)
    done: set[int] = set()
    for _ in range(12):
        done ^= {choice.randrange(len(EDITS))}
        texts = dict(FILES)
        for number in sorted(done):
            file, old, new = EDITS[number]
            texts[file] = texts[file].replace(old, new)
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
            lived.elsewhere.touched(str(tmp_path / name))
            lived.set_text(str(tmp_path / name), text)
        fresh = settled(Project([str(tmp_path)], sys.path), tmp_path)
        assert all_slices(settled(lived, tmp_path), tmp_path) == all_slices(fresh, tmp_path), sorted(done)


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_what_nothing_happened_to_is_kept(tmp_path: Path, number: int) -> None:
    """An edit in one body leaves the slices of the functions that do not lead to it; any other, none."""
    file, old, new = EDITS[number]
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    project = Project([str(tmp_path)], sys.path)
    for name, text in FILES.items():
        project.set_text(str(tmp_path / name), text)  # the editor has them open
    settled(project, tmp_path)

    def slices() -> dict[str, Slice]:
        functions = project.functions(project.load(str(tmp_path / "kernels.py")))
        return {function.qualname: cut(project, function) for function in functions}

    before = slices()
    project.elsewhere.touched(str(tmp_path / file))
    project.set_text(str(tmp_path / file), FILES[file].replace(old, new))
    project.elsewhere.catch_up(str(tmp_path / "kernels.py"))
    kept = {name for name, slice_ in slices().items() if slice_ is before.get(name)}
    lines = new.count("\n") == old.count("\n")
    if "return x" in old or "return inner" in old:
        assert kept == ({"made.<locals>.nested"} if "SHIFT" in old else {"made.<locals>.nested", "second"})
    elif "tl.store" in old and lines:
        edited = {"helpers.outer": "first", "q, helpers": "second", "p, k": "made.<locals>.nested"}
        assert kept == before.keys() - {name for word, name in edited.items() if word in old}
    else:
        assert not kept
