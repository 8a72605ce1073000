"""Whether importing a file fails with the installed Triton, for want of a back end's modules: its code is for another
compiler then. Looks at files; runs nothing."""

from __future__ import annotations

import ast
import os
import re
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kernel_analysis.source.words import has_word

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


def missing_backend(resolver: ResolverView, module: Module) -> str | None:
    """The module of a back end that the installed Triton does not have and that importing the file takes: by itself,
    by its packages, or by what these import of their own. What stands under a condition, or in a ``try``, does not
    count. ``OWN`` where the workspace has another Triton; ``NAMED`` and the word where only the file's name says so."""
    if not resolver.triton_home:
        return None
    if _has_own_triton(resolver, module.file):
        return OWN
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
