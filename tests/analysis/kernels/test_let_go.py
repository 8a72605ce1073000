"""A project that holds no trees answers as it did before, and what it held is gone at once."""

from __future__ import annotations

import ast
import gc
import weakref
from pathlib import Path

import kernel_analysis
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.source.tree import syntax

KERNELS = """\
import triton
import triton.language as tl
from sizes import BLOCK

@triton.jit
def helper(x):
    return x * 2

@triton.jit
def kernel(x_ptr, n, B: tl.constexpr):
    offsets = tl.arange(0, B)
    tl.store(x_ptr + offsets, helper(offsets), offsets < n)
"""
LAUNCH = """\
import torch
from kernels import kernel
import sizes

def launch(x: torch.Tensor):
    kernel[(1,)](x, x.numel(), B=sizes.BLOCK)
"""


def _workspace(folder: Path) -> Project:
    for name, text in (("kernels", KERNELS), ("launch", LAUNCH), ("sizes", "BLOCK = 128\n")):
        (folder / f"{name}.py").write_text(text)
    return Project([str(folder)], [], patient=True)


def _answer(project: Project, file: Path) -> list[tuple[str, str, list[dict[str, object]]]]:
    found: list[tuple[str, str, list[dict[str, object]]]] = []
    for function in project.functions(project.module(str(file))):
        slice_ = cut(project, function)
        found.append((function.qualname, slice_.hash, [dict(s.constants) for s in infer(project, function, slice_)]))
    return found


def test_the_same_is_answered_again(tmp_path: Path) -> None:
    project = _workspace(tmp_path)
    before = _answer(project, tmp_path / "kernels.py")
    trees = [weakref.ref(project.load(str(tmp_path / f"{name}.py")).tree) for name in ("kernels", "launch", "sizes")]
    assert project.held == len(KERNELS) + len(LAUNCH) + len("BLOCK = 128\n")
    gc.disable()
    try:
        project.let_go()
        assert project.held == 0
        assert [tree() for tree in trees] == [None, None, None]
    finally:
        gc.enable()
    assert _answer(project, tmp_path / "kernels.py") == before
    assert {"B": 128} in [constants for _, _, made in before for constants in made]


def test_what_was_read_most_often_stays(tmp_path: Path) -> None:
    project = _workspace(tmp_path)
    before = _answer(project, tmp_path / "kernels.py")
    files = {name: str(tmp_path / f"{name}.py") for name in ("kernels", "launch", "sizes")}
    for _ in range(2):
        project.let_go()
        project.load(files["launch"])
    kept = project.load(files["launch"])
    assert _answer(project, tmp_path / "kernels.py") == before
    others = [weakref.ref(project.load(files[name]).tree) for name in ("kernels", "sizes")]
    gc.disable()
    try:
        project.let_go(len(LAUNCH))
        assert project.held == len(LAUNCH)
        assert [tree() for tree in others] == [None, None], "what stays holds nothing of what went"
    finally:
        gc.enable()
    assert project.load(files["launch"]) is kept
    assert _answer(project, tmp_path / "kernels.py") == before


def test_what_a_text_in_a_file_asked_for_holds_no_tree(tmp_path: Path) -> None:
    file = tmp_path / "made.py"
    file.write_text(f"TEXT = '''\\\n{KERNELS.replace('x * 2', 'x * len((x, nobody_knows))')}'''\nexec(TEXT)\n")
    project = Project([str(tmp_path)], [], patient=True)
    assert {name for name, _, _ in _answer(project, file)} == {"helper", "kernel"}
    embedded = [weakref.ref(part.tree) for part in project.load(str(file)).embedded]
    assert len(embedded) == 1
    gc.disable()
    try:
        project.let_go()
        gc.collect()
        assert [tree() for tree in embedded] == [None]
    finally:
        gc.enable()


def test_what_is_kept_of_a_function_that_is_edited_is_that_of_its_last_texts(tmp_path: Path) -> None:
    project = _workspace(tmp_path)
    file = str(tmp_path / "kernels.py")
    trees: list[weakref.ref[ast.AST]] = []
    for n in range(20):
        project.set_text(file, KERNELS.replace("offsets < n", f"offsets < n + {n}"))
        function = project.functions(project.module(file))[1]
        cut(project, function)
        trees.append(weakref.ref(function.node))
        del function

    syntax.let_go()
    gc.collect()
    assert sum(tree() is not None for tree in trees) < 8


def test_what_is_kept_by_a_tree_goes_with_the_others() -> None:
    """``lru_cache`` would hold it until so many others were asked about."""
    for path in Path(kernel_analysis.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("cache" in ast.unparse(d) for d in node.decorator_list):
                taken = [ast.unparse(a.annotation) for a in node.args.args if a.annotation is not None]
                assert not any(word.startswith(("ast.", "JitFunction", "Module")) for word in taken), (path, node.name)
