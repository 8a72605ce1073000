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
    """Room, room, and what imports what."""
    for file in ROOT.rglob("*.py"):
        inside = file.relative_to(ROOT)
        room = inside.parts[0] if len(inside.parts) > 1 else PLAIN
        for module in _imported(ast.parse(file.read_text(encoding="utf-8"))):
            first = module.partition(".")[0]
            other = first if (ROOT / first).is_dir() else PLAIN
            if other != room:
                yield room, other, f"{inside.as_posix()} -> {module}"


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "kernel_analysis":
            inside = node.module.partition(".")[2]
            yield from [inside] if inside else [alias.name for alias in node.names]


def _modules(tree: ast.AST, typed: bool) -> Iterator[str]:
    """The modules that are imported; of a name out of one, whether that is a module itself. ``typed``: or for
    type checkers."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING" and not typed:
        return
    if isinstance(tree, ast.ImportFrom) and tree.module and tree.module.partition(".")[0] == "kernel_analysis":
        inside = tree.module.partition(".")[2]
        for alias in tree.names:
            path = ROOT.joinpath(*inside.split("."), alias.name)
            is_module = path.is_dir() or path.with_suffix(".py").exists()
            yield ".".join(filter(None, (inside, alias.name))) if is_module else inside
    for child in ast.iter_child_nodes(tree):
        yield from _modules(child, typed)


def _circles(typed: bool) -> set[str]:
    """The modules that import themselves by way of others."""
    needed: dict[str, set[str]] = {}
    for file in ROOT.rglob("*.py"):
        inside = file.relative_to(ROOT).with_suffix("")
        name = ".".join(part for part in inside.parts if part != "__init__")
        needed[name] = {*_modules(ast.parse(file.read_text(encoding="utf-8")), typed)} - {name}
    assert sum(map(len, needed.values())) > 1000

    def reached(name: str) -> set[str]:
        found: set[str] = set()
        to_do = [*needed[name]]
        while to_do:
            if (other := to_do.pop()) not in found:
                found.add(other)
                to_do += needed.get(other, ())
        return found

    return {name for name in needed if name in reached(name)}


def test_every_room_has_its_place() -> None:
    rooms = {path.name for path in ROOT.iterdir() if (path / "__init__.py").exists()}
    assert rooms == {*ORDER} - {PLAIN}


def test_no_room_imports_from_above() -> None:
    """Nor for type checkers alone: a lower room says in a protocol of its own what it needs."""
    upwards = {what for room, other, what in imports() if ORDER.index(other) > ORDER.index(room)}
    assert not upwards


def test_no_modules_import_each_other() -> None:
    """Not by way of others either, nor where they are called."""
    assert _circles(typed=False) == set()


def test_only_few_have_a_circle_for_type_checkers() -> None:
    """The parts of a whole say in a protocol what they need of it (``interpreter_views``, ``project_view``,
    ``body_view``, ``HostView``). Left are a module and what is read of it, and calls and
    summaries of the text witness with what they are made by."""
    assert _circles(typed=True) == {
        *(f"source.{name}" for name in ("parsing.embedded", "module", "tree.nodes", "tree.scopes")),
        *(f"dataflow.text.{name}" for name in ("call_effects", "instances", "may_summary", "summaries")),
    }


def _inner_rooms() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("__init__.py")):
        if path.parent != ROOT:
            yield path.parent


def test_rooms_within_a_room_stand_in_an_order() -> None:
    """No two of them import each other, by way of others or not. (What stands beside them in the room may be under some
    of them, and over others.) The interpreter of the host is one: a name has a value, which is an expression of names
    that something may have changed."""
    for room in {*_inner_rooms()} - {ROOT / "host"}:
        inner = {path.name for path in room.iterdir() if (path / "__init__.py").exists()}
        inside = room.relative_to(ROOT).parts
        needs: dict[str, set[str]] = {name: set() for name in inner}
        for name in inner:
            for file in (room / name).rglob("*.py"):
                for module in _modules(ast.parse(file.read_text(encoding="utf-8")), typed=False):
                    parts = (*module.split("."), "")
                    if parts[: len(inside)] == inside and parts[len(inside)] in inner - {name}:
                        needs[name].add(parts[len(inside)])
        while ready := {name for name, others in needs.items() if not others}:
            needs = {name: others - ready for name, others in needs.items() if name not in ready}
        assert not needs, room


def test_a_room_is_seen_at_a_glance() -> None:
    """Twenty entries at most; of rules there is one a file."""
    entries = {
        room.relative_to(ROOT).as_posix(): sum(
            (path.suffix == ".py" or (path / "__init__.py").exists()) and path.name != "__init__.py"
            for path in room.iterdir()
        )
        for room in _inner_rooms()
    }
    assert {room: number for room, number in entries.items() if number > 20 and room != "rules"} == {}


def test_each_room_is_told_of() -> None:
    """docs/rooms.md has each with what it says of itself, and no other."""
    told = (ROOT.parents[1] / "docs" / "rooms.md").read_text(encoding="utf-8").splitlines()
    said = []
    for room in _inner_rooms():
        doc = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
        depth = len(room.relative_to(ROOT).parts) - 1
        said.append(f"{'    ' * depth}- `{room.relative_to(ROOT).as_posix()}/`: {' '.join(doc.split())}")
    assert [line for line in told if line.lstrip().startswith("- `")] == said


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


def test_a_file_is_one_thing() -> None:
    """Of 400 lines at most, and half of them of fewer than 150."""
    lines = {
        file.relative_to(package).as_posix(): file.read_text(encoding="utf-8").count("\n")
        for package in (ROOT, ROOT.parents[1] / "server" / "triton_ls")
        for file in package.rglob("*.py")
    }
    assert {file: length for file, length in lines.items() if length > 400} == {}
    assert sorted(lines.values())[len(lines) // 2] < 150
