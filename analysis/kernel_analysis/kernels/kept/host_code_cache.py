"""What was found out from the code around jit functions, kept for as long as that is the same: most keys are typed
inside a kernel. Keeps no trees and nothing that refers to one.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar, cast

from kernel_analysis.source.kernel import JitFunction, Launch
from kernel_analysis.source.module import Module

if TYPE_CHECKING:
    from kernel_analysis.kernels.project_view import FilesView

_ENTRIES = 4096
_T = TypeVar("_T")


class HostText:
    """Answers of the project's host code, by the file that asked."""

    def __init__(self, project: FilesView) -> None:
        self._project = project
        self._known: OrderedDict[tuple[Hashable, ...], tuple[object, frozenset[str]]] = OrderedDict()
        self._last: tuple[Module | None, str] = (None, "")
        self._placed: tuple[list[Launch], int, str] = ([], 0, "")

    def kept(self, function: JitFunction, what: Hashable, find: Callable[[], _T]) -> _T:
        """``find()``, or what it gave before for the same function and ``what`` in the same surroundings. It may depend
        on no jit function's body, and give nothing of a tree."""
        project = self._project
        module = project.load(function.file)
        # Its own, too: who holds a function of before its launches were found asks of it without them.
        launched = self._places(project.launches_of(function))
        where = (function.file, function.qualname, function.node.lineno)
        key = (*where, what, self.of(module), project.changes_beside(function.file), launched)
        known = self._known.get(key)
        if known is None:
            with project.resolver.reading() as files:
                found = find()
            known = self._known[key] = (found, frozenset(files))
            if len(self._known) > _ENTRIES:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(key)
            project.resolver.read(known[1])
        return cast("_T", known[0])

    def let_go(self) -> None:
        """Hold no tree: not those of the module and the launches that were asked about last."""
        self._last, self._placed = (None, ""), ([], 0, "")

    def _places(self, launches: list[Launch]) -> str:
        """Where they stand, as a short word: each of the launches of a body may ask, and there may be thousands."""
        known, length, word = self._placed
        if known is not launches or length != len(launches):  # they are found one after the other
            places = repr([launch.at for launch in launches])
            word = hashlib.sha256(places.encode("utf-8", "surrogatepass")).hexdigest() if launches else ""
            self._placed = launches, len(launches), word
        return word

    def of(self, module: Module) -> str:
        """A hash of the file without the bodies of its jit functions and, where they can be told, without comments;
        every line in its place."""
        if self._last[0] is not module:
            # In a string of several lines, what looks like a comment is none.
            strings = any(sign in module.text for sign in ('"""', "'''", "\\\n", "\\\r"))
            lines = list(module.lines) if strings else [_code(line) for line in module.lines]
            for function in self._project.functions(module):
                node = function.node
                # A string that a jit function stands in is host code, too.
                if not function.stale and module.embedded_at(node.lineno) is None:
                    _blank(lines, node.lineno, node.end_lineno or node.lineno)
            for first, last in module.broken:
                _blank(lines, first, last)  # there is no tree of it
            text = "\n".join(lines)
            self._last = (module, hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        return self._last[1]


def _blank(lines: list[str], first: int, last: int) -> None:
    lines[first - 1 : last] = [""] * (last - first + 1)


def _code(line: str) -> str:
    """The line without its comment, where that can be told without a tokenizer; no string goes over its end."""
    if "#" not in line:
        return line.rstrip()
    before = line.split("#", 1)[0]
    return line.rstrip() if "'" in before or '"' in before else before.rstrip()
