"""What takes the place of something in a library: ``math.ceil = f``, ``monkeypatch.setattr("torch.float16", ...)``.

Follows what is spelled; evaluates nothing.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from kernel_analysis.host.changes import callees
from kernel_analysis.host.changes.by_path import given_to, looks
from kernel_analysis.host.changes.text_patterns import BY_NAME, may_hold, may_set
from kernel_analysis.host.changes.uses import Occurrence, occurrences, sets_by_text, use
from kernel_analysis.host.evaluate.values import External, TritonObject
from kernel_analysis.host.names.naming import meanings
from kernel_analysis.source.mentions import TEXT

if TYPE_CHECKING:
    from kernel_analysis.host.names.resolve import Resolver
    from kernel_analysis.source.module import Module


_COMPUTING = frozenset(
    {"builtins", "dataclasses", "enum", "functools", "itertools", "math", "numpy", "operator", "torch", "triton"}
)
"""Libraries of which something is known for certain; of the others everything is open anyway."""
_OF_TRITON = ("cdiv", "next_power_of_2")
"""Functions of Triton's that the host computes with, as with Python's own. (What torch's functions give is not asked
here: each file that has anything of torch would be looked at for each of its names.)"""


class Libraries:
    """Of one project, as its files are now."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._as_of = -1
        self._known: dict[tuple[str, str, str], tuple[str | None, frozenset[str]]] = {}

    def taken(self, owner: External | TritonObject, name: str, module: Module) -> None:
        """Notes why what a file has from a library under a name may be another."""
        if owner.path.partition(".")[0] not in _COMPUTING:
            return
        computed = owner.path == "triton" and name in _OF_TRITON
        if not computed and owner.path.partition(".")[0] not in sys.stdlib_module_names:
            return
        if self._as_of != self._resolver.project.changes:
            self._as_of = self._resolver.project.changes
            self._known.clear()
        key = (owner.path, name, module.file)
        if key not in self._known:
            self._known[key] = None, frozenset()  # while it is found out
            with self._resolver.reading() as files:
                why = _changed(self._resolver, module, owner.path, name)
            self._known[key] = why, frozenset(files)
        why, files = self._known[key]
        self._resolver.read(files)
        if why is not None:
            self._resolver.note(why)


def _changed(resolver: Resolver, module: Module, owner: str, name: str) -> str | None:
    """Why what a library has under a name may be another, in words; ``module``: the file that has it from there."""
    project, top, last = resolver.project, owner.partition(".")[0], owner.rpartition(".")[2]
    files = {*project.elsewhere.storing(None, name, False), *((module.file,) if f".{name}" in module.named else ())}
    for file in sorted({*files, *project.elsewhere.storing(None, f"{TEXT}{last}.{name}", False)}):
        text = project.text(file)
        if top not in text or f"{owner}.{name}" not in text and not (_has(text, last, name) and may_set(text, name)):
            continue
        other = project.load(file)
        for at in occurrences(other, name):
            if _sets(resolver, other, at, owner, name):
                resolver.read((file,))
                line = getattr(at.chain[0], "lineno", at.statement.lineno)
                return f"`{owner}.{name}` may be another by {project.relative(file)}:{line}"
    where = resolver.touches.anywhere.of(owner, name)
    return f"`{owner}.{name}` may be another by {where}" if where else None


def set_in_builtins(resolver: Resolver) -> str | None:
    """Where some file sets one of Python's own names by ``__builtins__``."""
    for file in resolver.project.elsewhere.storing(None, "__builtins__", False):
        other = resolver.project.load(file)
        for at in occurrences(other, "__builtins__"):
            made = use(at, callees.judge(resolver, resolver.scope(other, at.around)))
            if isinstance(at.chain[0], ast.Name) and made is not None:
                resolver.read((file,))
                return f"{resolver.project.relative(file)}:{made.line}"
    return None


def _has(text: str, owner: str, name: str) -> bool:
    """Whether a text may set something of the owner: it spells both beside each other, or has the owner as a value."""
    if any(word in text for word in (*BY_NAME, "__self__")):
        return True
    renamed = re.finditer(rf"{re.escape(owner)}(?<!\w{re.escape(owner)})[ \t]+as[ \t]+(\w+)", text)
    called = {owner, *(match[1] for match in renamed)}
    return any(re.search(rf"\b{word}\s*\.\s*{name}\b", text) or may_hold(text, word) for word in called)


def _sets(resolver: Resolver, other: Module, at: Occurrence, owner: str, name: str) -> bool:
    node = at.chain[0]
    found: ast.expr | str | None = None
    if isinstance(node, ast.Attribute):
        found = node.value if not isinstance(node.ctx, ast.Load) else None
    elif isinstance(node, ast.Constant):
        if node.value == f"{owner}.{name}":
            return given_to(at) is not None and not looks(resolver, other, at)
        found = sets_by_text(at)
    if found is None or isinstance(found, str):
        return found == owner
    known = meanings(resolver, resolver.scope(other, at.around), found)
    return any(isinstance(one, (External, TritonObject)) and one.path == owner for one in known)
