"""Slices: what is in them, what their hash is made of, and what editing one file costs."""

from __future__ import annotations

import ast
import time
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, find, sliced, write
from kernel_analysis.ir import NOWHERE, At
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.source.slice import FunctionRef

TEXT = (
    HEAD
    + """
SIZE = tl.constexpr(4)

@triton.jit
def inner(x):
    return x * SIZE

@triton.jit(noinline=True, do_not_specialize=["n"], repr=lambda _: "name")
def outer(x, n):
    return inner(x) + n

@triton.jit
def kernel(p, f: tl.constexpr = inner):
    # A comment.
    x = tl.load(p)
    tl.store(p, outer(x, 1))
    kernel(p)
"""
)


def test_what_is_in_a_slice(folder: Path) -> None:
    project = write(folder, work__k=TEXT)
    found = sliced(project, folder / "work/k.py", "kernel")
    assert [f.name for f in found.functions] == ["kernel", "inner", "outer"]
    kernel, inner, outer = found.functions
    assert kernel.bindings["kernel"] == FunctionRef(0)
    assert kernel.bindings["inner"] == FunctionRef(1)
    assert kernel.bindings["outer"] == FunctionRef(2)
    assert outer.options == {"noinline": True, "do_not_specialize": ("n",)}
    assert inner.bindings.keys() == {"SIZE"}
    assert kernel.nodes[0] is kernel.node
    expected = [n for n in ast.walk(inner.node) if hasattr(n, "lineno")]
    decorator = inner.node.decorator_list[0]
    assert [n for n in expected if n not in list(ast.walk(decorator))] == list(inner.nodes)


def test_spans(folder: Path) -> None:
    project = write(folder, work__k=TEXT)
    file = folder / "work/k.py"
    found = sliced(project, file, "kernel")
    for index, function in enumerate(found.functions):
        for ordinal, node in enumerate(function.nodes):
            span = found.span(At(index, ordinal))
            assert span is not None
            assert span.file == str(file)
            assert (span.line, span.column) == (node.lineno, node.col_offset + 1)  # type: ignore[attr-defined]
    assert found.span(NOWHERE) is None
    assert found.span(At(0, 10**6)) is None


def changed(folder: Path, text: str, name: str = "kernel") -> bool:
    project = write(folder, work__k=TEXT)
    file = folder / "work/k.py"
    before = sliced(project, file, name).hash
    project.set_text(str(file), text)
    return sliced(project, file, name).hash != before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# A comment.", "# Another\n\n    # and more"),
        ("tl.store(p, outer(x, 1))", "tl.store(\n        p,\n        outer(x, 1),\n    )"),
        ("SIZE = tl.constexpr(4)", "SIZE = tl.constexpr(2 + 2)"),
        ("import triton\n", "import triton\nimport os\n\n"),
        (
            "@triton.jit\ndef kernel",
            "@triton.jit\ndef unrelated(p):\n    pass\n\n@triton.heuristics({})\n@triton.jit\ndef kernel",
        ),
        ('lambda _: "name"', 'lambda _: "other"'),
    ],
)
def test_what_changes_nothing(folder: Path, old: str, new: str) -> None:
    assert old in TEXT
    assert not changed(folder, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("outer(x, 1)", "outer(x, 2)"),
        ("outer(x, 1)", "outer(x, 1.0)"),
        ("x * SIZE", "x / SIZE"),
        ("tl.constexpr(4)", "tl.constexpr(5)"),
        ("tl.constexpr(4)", "4"),
        ("noinline=True", "noinline=False"),
        ("import triton.language as tl", "import triton.language.extra as tl"),
        ("f: tl.constexpr = inner", "f: tl.constexpr = outer"),
        ("def inner(x)", "def inner(x, y=1)"),
        # What a second run changes is asked of it then.
        ("@triton.jit\ndef kernel", "@triton.autotune([], [])\n@triton.jit\ndef kernel"),
    ],
)
def test_what_changes_it(folder: Path, old: str, new: str) -> None:
    assert old in TEXT
    assert changed(folder, TEXT.replace(old, new))


def test_change_in_another_file(folder: Path) -> None:
    project = write(
        folder,
        work__c="SIZE = 4\n",
        work__k=HEAD + "from c import SIZE\n@triton.jit\ndef kernel(p):\n    tl.store(p, SIZE)\n",
    )
    file = folder / "work/k.py"
    first = sliced(project, file, "kernel")
    assert str(folder / "work/c.py") in first.files
    time.sleep(0.01)  # a change of the same size is told by its time, which some file systems keep in steps
    (folder / "work/c.py").write_text("SIZE = 44\n")
    project.changed([str(folder / "work/c.py")])
    assert sliced(project, file, "kernel").hash != first.hash
    (folder / "work/c.py").write_text("SIZE = 4\n# ...\n")
    project.refresh()
    assert sliced(project, file, "kernel").hash == first.hash


def test_mutual_recursion_ends(folder: Path) -> None:
    text = HEAD + "@triton.jit\ndef a(p):\n    b(p)\n@triton.jit\ndef b(p):\n    a(p)\n"
    found = sliced(write(folder, work__k=text), folder / "work/k.py", "a")
    assert [f.name for f in found.functions] == ["a", "b"]
    assert found.functions[1].bindings["a"] == FunctionRef(0)


def test_every_function_of_a_file_can_be_cut_twice(folder: Path) -> None:
    project = write(folder, work__k=TEXT)
    module = project.module(str(folder / "work/k.py"))
    hashes = [cut(project, f).hash for f in module.functions]
    assert hashes == [cut(project, f).hash for f in module.functions]
    assert len(set(hashes)) == 3


@pytest.mark.slow("a long file is parsed thirty times, which is what is compared")
def test_an_edit_costs_little_more_than_parsing(folder: Path) -> None:
    """A file of 1,000 lines and 25 kernels, of which one is edited."""
    body = "".join(f"    x{n} = tl.load(p + {n}) * SIZE + helper(x{max(n - 1, 0)}, {n})\n" for n in range(34))
    kernel = (
        "@triton.jit\ndef kernel_{0}(p, n, N: tl.constexpr):\n    x0 = tl.program_id(0)\n"
        + body
        + "    tl.store(p, x33)\n\n"
    )
    text = HEAD + "SIZE = tl.constexpr(4)\n@triton.jit\ndef helper(a, b):\n    return a + b\n\n"
    text += "".join(kernel.replace("{0}", str(n)) for n in range(25))
    assert text.count("\n") > 950
    project = write(folder, work__k=text)
    file = str(folder / "work/k.py")
    cut(project, find(project, Path(file), "kernel_3"))
    ours: list[float] = []
    bare: list[float] = []
    for turn in range(15):
        edited = text.replace("tl.program_id(0)", f"tl.program_id(0) + {turn}", 1)
        start = time.process_time()
        ast.parse(edited)
        bare.append(time.process_time() - start)
        start = time.process_time()
        project.set_text(file, edited)
        cut(project, next(f for f in project.module(file).functions if f.name == "kernel_0"))
        ours.append(time.process_time() - start)
    print(f"ast.parse {min(bare) * 1e3:.1f} ms, edit to slice {min(ours) * 1e3:.1f} ms")
    assert min(ours) < min(bare) * 2 + 0.02


def test_search_path_is_optional(folder: Path) -> None:
    (folder / "work/k.py").write_text(TEXT)
    project = Project([], [])
    assert len(cut(project, find(project, folder / "work/k.py", "kernel")).functions) == 3
