"""What a rule looks at: one function's report with the facts behind it. Plain data; a rule never sees the compiler."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from kernel_analysis.dataflow.presentation import SpanPlaces
from kernel_analysis.facts import Facts
from kernel_analysis.host.decorators.layers import Stack
from kernel_analysis.host.tensors.launches.certain_launches import Certain, by_call, of_call
from kernel_analysis.host.tensors.launches.named_kernels import put_on_by_calls
from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding, KernelReport, Related, Step
from kernel_analysis.rules.kept_launches import Group, KeptLaunch, KeptLaunches, as_now
from kernel_analysis.source.kernel import JitFunction
from kernel_analysis.source.module import Module
from kernel_analysis.source.slice import Slice
from kernel_analysis.source.tree import nodes
from kernel_analysis.span import Span


@dataclass(slots=True)
class Subject:
    """``module`` is the file that ``function`` stands in."""

    project: Project
    report: KernelReport
    facts: Facts
    slice: Slice
    function: JitFunction
    module: Module
    places: SpanPlaces = field(init=False)

    def __post_init__(self) -> None:
        self.places = SpanPlaces(self.slice, self.function)

    @property
    def noun(self) -> str:
        """How messages name the function: "kernel `k`"."""
        return f"{self.report.role} `{self.report.name}`"

    def own(self, span: Span, path: tuple[Step, ...] = ()) -> Span:
        """Where in this file to show what happens at ``span``: there, else at the innermost call in this file that
        leads there."""
        for candidate in (span, *(step.span for step in reversed(path))):
            if candidate.file == self.report.file:
                return candidate
        return self.report.name_span


@dataclass
class FileSubject:
    """What a rule about the host's code looks at: a file. ``kept``: what is known of its launches, where somebody
    edits. ``explained``: the functions that are no kernels, where one has said why."""

    project: Project
    module: Module
    kept: KeptLaunches = field(default_factory=KeptLaunches)
    explained: set[int] = field(default_factory=set[int])
    _stacks: dict[int, Stack | None] = field(default_factory=dict[int, "Stack | None"])
    _by_call: dict[int, KeptLaunch] = field(default_factory=dict[int, KeptLaunch])

    @cached_property
    def launches(self) -> list[Certain]:
        """The launches in it of which it is known what they launch."""
        return [one for group in self._groups for one in self._in(group)]

    def launches_of(self, node: ast.FunctionDef) -> list[Certain]:
        """Those of one function."""
        return [
            one for group in self._by_node.get(id(node), ()) for one in self._in(group) if one.function.node is node
        ]

    @cached_property
    def _by_node(self) -> dict[int, list[Group]]:
        found: dict[int, dict[int, Group]] = {}
        for group in self._groups:
            for function, _ in group:
                found.setdefault(id(function.node), {})[id(group)] = group
        return {node: [*groups.values()] for node, groups in found.items()}

    @property
    def launched(self) -> Iterator[JitFunction]:
        """The functions that they launch."""
        for group in self._groups:
            certain = {id(one.function.node) for one in self._known(group).found}
            yield from (function for function, _ in group if id(function.node) in certain)

    @cached_property
    def _groups(self) -> list[Group]:
        return [*by_call(self.project.launches_in(self.module))]

    def _known(self, group: Group) -> KeptLaunch:
        call = id(group[0][1].call)
        if call not in self._by_call:
            find = partial(of_call, self.project.resolver, self.module, group, self._stacks)
            self._by_call[call] = self.kept.of(self.project, self.module.file, group, find)
        return self._by_call[call]

    def _in(self, group: Group) -> list[Certain]:
        find = partial(of_call, self.project.resolver, self.module, group, self._stacks)
        return as_now(self.project, self.module, self._known(group), group, find)

    def of_launches(self, code: str, ask: Callable[[Certain], Iterable[Finding]]) -> list[Finding]:
        """What a rule says of each launch, which hangs on host code, on the launch, and on the text of the function
        that it launches."""
        found: list[Finding] = []
        for group in self._groups:
            known = self._known(group)
            if code not in known.findings:
                with self.project.resolver.reading() as files:
                    about = [finding for launch in self._in(group) for finding in ask(launch)]
                known.findings[code] = about, frozenset(files)
            about, read = known.findings[code]
            self.project.resolver.read(read)
            found += about
        return found

    @cached_property
    def stacks(self) -> list[Stack]:
        """What stands on its jit functions, where that is known: at each as it is defined, then where calls put more on
        it."""
        for function in self.module.functions:
            if id(function.node) not in self._stacks:
                self._stacks[id(function.node)] = self.kept.stack(self.project, function)
        made = [self._stacks[id(function.node)] for function in self.module.functions]
        made += put_on_by_calls(self.project.resolver, self.module)
        return [known for known in made if known is not None]

    @cached_property
    def unclear(self) -> list[tuple[ast.FunctionDef, tuple[ast.AST, ...]]]:
        """The functions of the file under decorators of which no kernel could be made, with what is around them."""
        unclear = {id(node) for node, _ in self.module.unclear}
        every = nodes.statements(self.module) if unclear else ()
        return [(node, around) for node, around in every if isinstance(node, ast.FunctionDef) and id(node) in unclear]


def through(path: tuple[Step, ...]) -> str:
    """ ", through `a` -> `b`" for a path of calls; empty without one."""
    return ", through " + " -> ".join(f"`{step.function}`" for step in path) if path else ""


def call_chain(path: tuple[Step, ...]) -> tuple[Related, ...]:
    """The calls that lead to a place, outermost first."""
    return tuple(Related(step.span, f"`{step.function}` is called here") for step in path)


def as_written(subject: FileSubject, found: list[Finding]) -> list[Finding]:
    """What is wrong with launches of a file, or would be if they were run as they are written."""
    why = subject.project.resolver.touches.rewritten(subject.module) if found else None
    if why is None:
        return found
    return [replace(one, severity="information", message=f"{one.message}; unless it is changed before it is run: {why}",
                    fixes=()) for one in found]  # fmt: skip
