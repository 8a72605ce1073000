"""Which jit functions and launches each file has, found again once anything is another that was read for that, with the
autotuners that other files put on them. Reads through the project; evaluates through its resolver."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from kernel_analysis.host.decorators import configs
from kernel_analysis.kernels import find, launches
from kernel_analysis.record import record
from kernel_analysis.source.kernel import JitFunction, Launch

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from kernel_analysis.host.evaluate.values import Decoration
    from kernel_analysis.kernels.project_view import FilesView
    from kernel_analysis.source.module import Module


@record
class FoundIn:
    """The jit functions of a module, in order and by their nodes, and what was read to find them. ``decorated``: those
    of other files that something here was put on, with what that is."""

    module: Module
    places: int
    seen: dict[str, Module | None]
    functions: list[JitFunction]
    by_node: dict[int, JitFunction]
    launches: list[tuple[JitFunction, Launch]]
    decorated: list[tuple[JitFunction, Decoration]]
    _by_call: dict[int, list[JitFunction]] = field(default_factory=dict[int, "list[JitFunction]"])

    def launched_by(self, call: ast.Call) -> list[JitFunction]:
        """What one of the launches launches, or may."""
        if not self._by_call:
            for function, launch in self.launches:
                self._by_call.setdefault(id(launch.call), []).append(function)
        return self._by_call.get(id(call), [])


class FoundFunctions:
    """``project``: whose files these are."""

    def __init__(self, project: FilesView) -> None:
        self._project = project
        self._known: dict[str, FoundIn] = {}
        self._finding: list[tuple[str, list[tuple[JitFunction, Decoration]]]] = []
        self._settling: set[str] = set()
        self._following: dict[str, tuple[Module, FoundIn, ast.FunctionDef, ast.FunctionDef]] = {}
        self._telling: dict[str, set[str]] = {}
        """The files that have put something on functions of a file."""

    def let_go(self) -> None:
        self._known.clear()
        self._telling.clear()
        self._following.clear()

    def in_files(self) -> Iterable[FoundIn]:
        """All that is known, of texts as they were when they were looked through."""
        return self._known.values()

    def before(self, module: Module) -> list[JitFunction] | None:
        """What was found in just this text, if it was looked through; something beside it may be another by now."""
        known = self._known.get(module.file)
        return known.functions if known is not None and known.module is module else None

    def follows(self, before: Module, after: Module, old: ast.FunctionDef, new: ast.FunctionDef) -> None:
        """A text is the one before but for the body of one jit function, and no host code is another for it."""
        known = self._known.get(before.file)
        if known is not None and known.module is before:
            self._following[before.file] = after, known, old, new

    def of_text(self, module: Module) -> FoundIn:
        """What was found in just this text, if it was looked through, and else what is."""
        known = self._known.get(module.file)
        return known if known is not None and known.module is module else self.of(module)

    def is_finding(self, file: str) -> bool:
        return any(other == file for other, _ in self._finding)

    def decorated(self, function: JitFunction, decoration: Decoration) -> None:
        """An autotuner, or heuristics, are put on it by what is being looked through."""
        if self._finding and self._finding[-1][0] != function.file:
            self._finding[-1][1].append((function, decoration))

    def of(self, module: Module) -> FoundIn:
        known = self._known.get(module.file)
        if known is not None and known.module is module and self._is_unchanged(known):
            if all(self._is_as_it_was(file) for file in self._telling.get(module.file, ())):
                return known
        if (carried := self._carried_over(module)) is not None:
            return carried
        self._settling.add(module.file)
        try:
            # What it has put on others before goes: they are found again, with nothing of it on them.
            told = () if known is None else dict.fromkeys(function.file for function, _ in known.decorated)
            for file in told:
                if file not in self._settling and not self.is_finding(file):
                    self._known.pop(file, None)
                    self.of(self._project.load(file))
            known = self._find(module)
            for teller in sorted(self._telling.get(module.file, set()) - self._settling):
                self._hear(known, teller)
        finally:
            self._settling.discard(module.file)
        return known

    def _carried_over(self, module: Module) -> FoundIn | None:
        """What was found in the text before, where one body is all that differs and nothing beside it does."""
        after, known, old, new = self._following.pop(module.file, (None, None, None, None))
        if after is not module or known is None or old is None or new is None:
            return None
        if not self._is_unchanged(known) or self._telling.get(module.file) or self.is_finding(module.file):
            return None
        resolver = self._project.resolver
        with resolver.reading() as files, resolver.unheard():
            functions = find.with_another_body(resolver, module, known.module, known.functions, old, new)
        if functions is None:
            return None
        seen = {**known.seen, **{file: self._project.loaded(file) for file in files if file != module.file}}
        by_node = {id(function.node): function for function in functions}
        launched = [(by_node[id(new)] if kernel.node is old else kernel, launch) for kernel, launch in known.launches]
        found = FoundIn(module, known.places, seen, functions, by_node, launched, known.decorated)
        self._known[module.file] = found
        return found

    def _hear(self, known: FoundIn, teller: str) -> None:
        """What another file puts on these functions, which were found again."""
        if teller not in self._known or self.is_finding(teller):
            return
        if not self._is_as_it_was(teller):
            self.of(self._project.load(teller))
            return
        told = self._known[teller].decorated
        for index, (function, decoration) in enumerate(told):
            now = known.by_node.get(id(function.node))
            if now is not None and now is not function:
                configs.put_on(now, decoration)
                told[index] = (now, decoration)

    def _find(self, module: Module) -> FoundIn:
        told: list[tuple[JitFunction, Decoration]] = []
        self._finding.append((module.file, told))
        resolver = self._project.resolver
        try:
            # Which functions there are hangs on what names stand for, and not on how sure that is.
            with resolver.reading() as files, resolver.unheard():
                found = find.functions(resolver, module)
                launched = launches.attach(resolver, module, found)
        finally:
            self._finding.pop()
        seen = {file: self._project.loaded(file) for file in files if file != module.file}
        by_node = {id(function.node): function for function in found}
        known = FoundIn(module, self._project.places, seen, found, by_node, launched, told)
        self._known[module.file] = known
        for tellers in self._telling.values():
            tellers.discard(module.file)
        for function, _ in told:
            self._telling.setdefault(function.file, set()).add(module.file)
        return known

    def _is_as_it_was(self, file: str) -> bool:
        known = self._known.get(file)
        return known is not None and self._project.loaded(file) is known.module and self._is_unchanged(known)

    def _is_unchanged(self, known: FoundIn) -> bool:
        places = known.places == self._project.places
        return places and all(self._project.loaded(file) is seen for file, seen in known.seen.items())
