"""The rooms of the analysis stand in an order, and import only what is below them: docs/architecture.md draws it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2] / "analysis" / "kernel_analysis"
PLAIN = "plain data"  # the modules beside the rooms

ORDER = [
    *(PLAIN, "source", "host", "kernels", "signature", "dataflow", "lowering"),
    *("attempt", "rules", "launch", "custom_op", "agent"),
]
"""From the ground up. Compiling stands above what is computed from the compiled: the tables of operations are there."""


def imports() -> Iterator[tuple[str, str, str]]:
    """Room, room, and what imports what, for type checkers alone left out."""
    for file in ROOT.rglob("*.py"):
        inside = file.relative_to(ROOT)
        room = inside.parts[0] if len(inside.parts) > 1 else PLAIN
        for module in _imported(ast.parse(file.read_text(encoding="utf-8"))):
            first = module.partition(".")[0]
            other = first if (ROOT / first).is_dir() else PLAIN
            if other != room:
                yield room, other, f"{inside.as_posix()} -> {module}"


def _imported(tree: ast.AST) -> Iterator[str]:
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        return
    if isinstance(tree, ast.ImportFrom) and tree.module and tree.module.partition(".")[0] == "kernel_analysis":
        inside = tree.module.partition(".")[2]
        yield from [inside] if inside else [alias.name for alias in tree.names]
    for child in ast.iter_child_nodes(tree):
        yield from _imported(child)


def test_every_room_has_its_place() -> None:
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert rooms == {*ORDER} - {PLAIN}


def test_no_room_imports_from_above() -> None:
    upwards = {what for room, other, what in imports() if ORDER.index(other) > ORDER.index(room)}
    assert not upwards


def test_a_class_has_its_name_alone() -> None:
    """What somebody finds by its name is what was meant. Both programs: one is read beside the other."""
    found: dict[str, list[str]] = {}
    for package in (ROOT, ROOT.parents[1] / "server" / "triton_ls"):
        for file in package.rglob("*.py"):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found.setdefault(node.name, []).append(file.relative_to(package.parents[1]).as_posix())
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_a_module_has_its_name_alone() -> None:
    """Handlers and commands aside: they are called as what an editor or a shell asks for is."""
    found: dict[str, list[str]] = {}
    for package in (ROOT, ROOT.parents[1] / "server" / "triton_ls"):
        for file in package.rglob("*.py"):
            if not file.stem.startswith("__") and file.parent.name not in {"handlers", "cli"}:
                found.setdefault(file.stem, []).append(file.relative_to(package.parents[1]).as_posix())
    assert {name: files for name, files in found.items() if len(files) > 1} == {}
