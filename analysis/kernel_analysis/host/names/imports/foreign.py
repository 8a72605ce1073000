"""Whether importing a file fails with the installed Triton, for want of a back end's modules: its code is for another
compiler then. Looks at files; runs nothing."""

from __future__ import annotations

import ast
import os
import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.host.names.imports.packages import HANDED_ON
from kernel_analysis.source.module_search import is_standard_library
from kernel_analysis.source.slice import TritonObject
from kernel_analysis.source.text_search.words import has_word

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView
    from kernel_analysis.source.module import Module

_BACKENDS: Final = (["triton", "language", "extra"], ["triton", "backends"])
"""Where a back end of Triton puts what is its own."""
NAMED: Final = "named for "
"""Said, before the word, of a file that is named for accelerators with a Triton of their own, or whose folder is."""
_MAKERS: Final = frozenset({
    "ascend", "cambricon", "cann", "enflame", "gcu", "hygon", "iluvatar", "kunlunxin", "maca", "metax", "mlu",
    "mthreads", "musa", "npu", "spacemit", "sunrise", "tsingmicro",
})  # fmt: skip
"""The installed one compiles for none of these, whose compilers take what other versions of it took."""
_WORD: Final = re.compile(r"[a-z]+")
_MOST: Final = 100
"""Files that are looked at, the nearest first."""


OWN: Final = "triton"
"""Said of a file whose Triton is the workspace's own."""
UNSEEN: Final = "by way of "
"""Said, before the package, of a file that has Triton's names only of a package that is not in sight."""
_DEEPEST: Final = 8


def missing_backend(resolver: ResolverView, module: Module) -> str | None:
    """The module of a back end that the installed Triton does not have and that importing the file takes: by itself,
    by its packages, or by what these import of their own. What stands under a condition, or in a ``try``, does not
    count. ``OWN`` where the workspace has another Triton; ``UNSEEN`` and the package where what goes by Triton's names
    is that package's; ``NAMED`` and the word where only the file's name says so."""
    if not resolver.triton_home:
        return None
    if _has_own_triton(resolver, module.file):
        return OWN
    if (unseen := _unseen(resolver, module)) is not None:
        return UNSEEN + unseen
    own = _home(resolver, module.file)
    todo = deque([module.file])
    seen = {module.file}
    while todo and len(seen) <= _MOST:
        current = resolver.project.load(todo.popleft())
        next_ = list(_packages(resolver, current.file))
        for dotted in _imported(current):
            if _lacks(resolver, dotted):
                resolver.read(seen)
                return dotted
            if dotted.split(".")[0] != "triton":
                file = resolver.project.find_module(dotted, current.file)
                next_ += [file] if file is not None else []
        # What others have installed says nothing of this code, and is large.
        fresh = [file for file in dict.fromkeys(next_) if file not in seen and file.startswith(own)]
        seen.update(fresh)
        todo.extend(fresh)
    resolver.read(seen)
    words = _WORD.findall(resolver.project.relative(module.file).lower())
    return next((NAMED + word for word in words if word in _MAKERS), None)


def _has_own_triton(resolver: ResolverView, file: str) -> bool:
    """Whether what a file imports as ``triton`` is not the installed one, but a Triton of the workspace."""
    found = resolver.project.find_module("triton", file)
    if found is None or found.startswith(resolver.triton_home):
        return False
    resolver.read((found,))
    return resolver.project.exists(os.path.join(os.path.dirname(found), "language", "core.py"))


def _unseen(resolver: ResolverView, module: Module) -> str | None:
    """The package that is not in sight of which the file has a name that only Triton's modules go by, where it has that
    of nobody else. (It is taken for Triton's. It may as well be a compiler of its own.)"""
    for name, value in HANDED_ON.items():
        found = list(_sources(resolver, module, name, set())) if isinstance(value, TritonObject) else []
        if found and None not in found:
            return found[0]
    return None


def _sources(resolver: ResolverView, module: Module, name: str, seen: set[tuple[str, str]]) -> Iterator[str | None]:
    """Where the imports of a name lead: packages that are not in sight; None: elsewhere, or to Triton."""
    if (module.file, name) in seen or len(seen) > _DEEPEST:
        return
    seen.add((module.file, name))
    for event in module.table.events.get(name, ()):
        if event.how not in ("import", "from") or event.alias is None:
            yield None
            continue
        of = event.node
        source = event.alias.name if isinstance(of, ast.Import) else ""
        if isinstance(of, ast.ImportFrom):
            source = "." * of.level + (of.module or "")
        top = source.partition(".")[0]
        file = resolver.project.find_module(source, module.file) if top != "triton" else None
        if top in ("triton", "") and file is None or is_standard_library(top):
            yield None
        elif file is None:
            yield source
        elif isinstance(of, ast.ImportFrom):
            resolver.read((file,))
            yield from _sources(resolver, resolver.project.load(file), event.alias.name, seen)
        else:
            yield None


def _imported(module: Module) -> Iterator[str]:
    """The modules, and the names in them that may be modules, that every import of the file imports."""
    for statement in module.tree.body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            source = "." * statement.level + (statement.module or "")
            yield source
            dot = "" if source.endswith(".") else "."
            yield from (f"{source}{dot}{alias.name}" for alias in statement.names if alias.name != "*")


def _packages(resolver: ResolverView, file: str) -> Iterator[str]:
    """What Python imports before the file: the packages that it stands in, the nearest first."""
    folder = os.path.dirname(file)
    while resolver.project.exists(package := os.path.join(folder, "__init__.py")):
        if package != file:
            yield package
        folder = os.path.dirname(folder)


def _home(resolver: ResolverView, file: str) -> str:
    """The folder of the outermost package that a file stands in, or its own."""
    folder = os.path.dirname(file)
    while resolver.project.exists(os.path.join(os.path.dirname(folder), "__init__.py")):
        folder = os.path.dirname(folder)
    return folder + os.sep


def _lacks(resolver: ResolverView, dotted: str) -> bool:
    """A back end's folder or file is not there, nor, in ``from triton.language.extra import name``, a name that the
    package spells."""
    parts = dotted.split(".")
    for owner in _BACKENDS:
        if parts[: len(owner)] == owner and len(parts) > len(owner):
            folder = resolver.triton_home + "/".join(parts[1 : len(owner)])
            name, exists = parts[len(owner)], resolver.project.exists
            path, package = f"{folder}/{name}", f"{folder}/__init__.py"
            if exists(f"{path}.py") or exists(f"{path}/__init__.py") or os.path.isdir(path):
                return False
            spelled = exists(package) and resolver.project.says(package, has_word, name)
            return not spelled or len(parts) > len(owner) + 1
    return False
