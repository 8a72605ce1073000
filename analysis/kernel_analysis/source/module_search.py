"""Dotted module names -> files, by looking at folders the way Python's import does. Never imports anything, parents
included."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from kernel_analysis.files import NOTEBOOK, Unreadable, import_root, read_file, workspace_files
from kernel_analysis.record import record
from kernel_analysis.source.parsing.parse import whole

_LARGEST = 1_000_000
_EXTENSIONS = (".so", ".pyd")


@record
class Located:
    """Where a module is: its file (None for a namespace package or compiled code) and the folders of its submodules.

    ``looked_for``: files whose appearance would have changed the answer."""

    file: str | None
    folders: tuple[str, ...]
    looked_for: tuple[str, ...] = ()


@record
class Rivals:
    """Modules of one name in the workspace. ``others``: but the one that is taken; ``of_importer``: the file that
    imports stands beside one of these."""

    others: tuple[str, ...]
    of_importer: bool


def locate(
    parts: Sequence[str], bases: Iterable[str], exists: Callable[[str], bool]
) -> tuple[Located | None, list[str]]:
    """The module ``parts`` under the first of ``bases`` that has it, and what was looked for in vain."""
    folders = tuple(bases)
    missed: list[str] = []
    located: Located | None = None
    for part in parts:
        located = None
        portions: list[str] = []
        for folder in folders:
            path = os.path.join(folder, part)
            package = os.path.join(path, "__init__.py")
            if exists(package):
                located = Located(package, (path,))
                break
            if exists(path + ".py"):
                missed.append(package)
                located = Located(path + ".py", ())
                break
            missed += (package, path + ".py")
            if os.path.isdir(path):
                portions.append(path)
            elif _compiled(folder, part):
                located = Located(None, ())
                break
        if located is None:
            if not portions:
                return None, missed
            located = Located(None, tuple(portions))
        folders = located.folders
    return located, missed


def of_copied(parts: Sequence[str], folder: str, exists: Callable[[str], bool]) -> tuple[Located | None, list[str]]:
    """A module of a package that was copied into another, and that imports its own modules from ``folder`` by the name
    it had before; and what was looked for in vain."""
    outer = folder
    while outer != os.path.dirname(outer):
        folder, outer = outer, os.path.dirname(outer)
        if os.path.basename(folder) == parts[0] and exists(os.path.join(folder, "__init__.py")):
            return locate(parts, [outer], exists)
    return None, []


SOURCES = ("src", "python")
"""What folders that imports start in are called."""


def starts(roots: Iterable[str]) -> dict[str, list[str]]:
    """The folders of a workspace that imports of a top-level name may start in: those that packages and loose modules
    stand in, and those of sources."""
    bases: dict[str, str] = {}
    found: dict[str, dict[str, None]] = {}
    for file in workspace_files(roots):
        folder = os.path.dirname(file)
        if folder not in bases:
            bases[folder] = import_root(folder)
        for name, start in starts_of(file, bases[folder]):
            found.setdefault(name, {})[start] = None
    return {name: list(folders) for name, folders in found.items()}


def starts_of(file: str, base: str) -> Iterator[tuple[str, str]]:
    """By which top-level names imports come to a file, and the folders that they start in; ``base``: the
    ``import_root`` of its folder."""
    outer = base
    while outer != os.path.dirname(outer) and not file.endswith(NOTEBOOK):
        if outer == base or os.path.basename(outer) in SOURCES:
            yield file[len(outer.rstrip(os.sep)) + 1 :].partition(os.sep)[0].removesuffix(".py"), outer
        outer = os.path.dirname(outer)


def _compiled(folder: str, name: str) -> bool:
    """Whether ``folder`` has the module as compiled code."""
    try:
        with os.scandir(folder) as entries:
            return any(e.name.startswith(name + ".") and e.name.endswith(_EXTENSIONS) for e in entries)
    except OSError:
        return False


def is_standard_library(name: str) -> bool:
    """Whether the top-level module belongs to Python itself."""
    return name in sys.stdlib_module_names or name in sys.builtin_module_names


_MOST_LINKED = 1000
"""Folders that one editable install links to."""


def expand(search_path: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """``search_path`` with what ``.pth`` files add, and the packages that an editable install maps to a folder
    elsewhere."""
    folders: list[str] = []
    mapping: dict[str, str] = {}
    for entry in search_path:
        if not entry or not os.path.isdir(entry):
            continue
        folders.append(os.path.abspath(entry))
        try:
            names = sorted(os.listdir(entry))
        except OSError:
            continue
        for name in names:
            path = os.path.join(entry, name)
            if name.endswith(".pth"):
                folders += [f for f in _pth(entry, path) if f not in folders]
            elif name.startswith("__editable__") and name.endswith("_finder.py"):
                mapping.update(_editable(path))
    return folders, mapping


def _pth(folder: str, path: str) -> list[str]:
    """The folders that a ``.pth`` file names; its ``import`` lines are code, and are left alone."""
    found: list[str] = []
    for line in _read(path).splitlines():
        line = line.strip()
        if line and not line.startswith(("#", "import ", "import\t")):
            target = os.path.abspath(os.path.join(folder, line))
            if os.path.isdir(target):
                found.append(target)
    return found


def mapped(parts: Sequence[str], mapping: Mapping[str, str], exists: Callable[[str], bool]) -> Located | None:
    """A module of a package that an editable install maps to a folder; of packages within each other the inner counts,
    and what is around one is a namespace."""
    for length in range(len(parts), 0, -1):
        target = mapping.get(".".join(parts[:length]))
        if target is None:
            continue
        if len(parts) > length:
            return locate(parts[length:], [target], exists)[0]
        files = (os.path.join(target, "__init__.py"), target + ".py", target)
        return Located(next((file for file in files if exists(file)), None), (target,))
    around = ".".join(parts) + "."
    return Located(None, ()) if any(name.startswith(around) for name in mapping) else None


def linked(folder: str) -> list[str]:
    """Where the files really are of a folder that an editable install filled with links (setuptools' strict mode)."""
    if not os.path.basename(folder).startswith("__editable__"):
        return []
    found: dict[str, None] = {}
    for inner, _, names in os.walk(folder):
        links = (os.path.join(inner, name) for name in names)
        found.update(dict.fromkeys(os.path.dirname(os.path.realpath(link)) for link in links if os.path.islink(link)))
        if len(found) > _MOST_LINKED:
            break
    return list(found)


def _editable(path: str) -> dict[str, str]:
    """``MAPPING`` of the finder module that setuptools writes for an editable install: package -> folder or file
    stem."""
    tree = whole(_read(path))
    for node in tree.body if tree is not None else ():
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        named = [t.id for t in targets if isinstance(t, ast.Name)]
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if named == ["MAPPING"] and isinstance(value, ast.Dict):
            return {
                k.value: v.value
                for k, v in zip(value.keys, value.values, strict=False)
                if isinstance(k, ast.Constant)
                and isinstance(k.value, str)
                and isinstance(v, ast.Constant)
                and isinstance(v.value, str)
            }
    return {}


def _read(path: str) -> str:
    try:
        return read_file(path, _LARGEST).decode("utf-8", "replace")
    except Unreadable:
        return ""
