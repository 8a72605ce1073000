"""The types of a kernel's values under the one config or launch that somebody chose to see, in the place of those of
all that was compiled. Knows no LSP; asks an agent, and waits for it only where somebody chose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from kernel_analysis.report import KernelReport, ValueReport
from kernel_analysis.wire import ShapeChoices
from triton_ls.agents.agent_process import AgentError
from triton_ls.file_facts import FileFacts, place

T = TypeVar("T")


class Ask(Protocol):
    """``Session.ask``."""

    def __call__(self, file: str, kind: type[T], **params: Any) -> Awaitable[T]: ...


class ShownShapes:
    """``facts(file)``: the last known. ``updated(file)`` is told that something else is to be shown."""

    def __init__(self, ask: Ask, facts: Callable[[str], FileFacts | None], updated: Callable[[str], None]) -> None:
        self._ask, self._facts, self._updated = ask, facts, updated
        self._chosen: dict[tuple[str, str], Chosen] = {}

    async def choices(self, file: str, qualname: str) -> list[str]:
        """The configs and launches of which the shapes in a kernel can be shown alone. ``AgentError``."""
        return (await self._of(file, qualname, None)).choices

    async def choose(self, file: str, qualname: str, choice: str | None) -> None:
        """Shows the shapes in a kernel for one of them from now on, for all without one. ``AgentError``."""
        if choice is None:
            self._chosen.pop((file, qualname), None)
            return
        found = await self._of(file, qualname, choice)
        report = next((r for r in self._reports(file) if (r.qualname, r.key) == (qualname, found.key)), None)
        if report is not None:
            self._chosen[file, qualname] = _chosen(choice, report, found.values or ())

    def choice(self, file: str, qualname: str) -> str | None:
        """What the shapes in a kernel are shown for, where that was chosen."""
        found = self._chosen.get((file, qualname))
        return None if found is None else found.choice

    def of(self, file: str) -> dict[str, Chosen]:
        """What was chosen in a file, by qualified name."""
        return {qualname: chosen for (where, qualname), chosen in self._chosen.items() if where == file}

    def any(self, file: str) -> bool:
        """Whether something was chosen in a file."""
        return any(which[0] == file for which in self._chosen)

    async def again(self, file: str) -> None:
        """What was chosen for kernels that are others now."""
        for report in self._reports(file):
            before = self._chosen.get((file, report.qualname))
            if before is None or before.key == report.key or report.status == "failed":
                continue
            try:
                await self.choose(file, report.qualname, before.choice)
            except AgentError:
                # What was chosen is in sight no more: the shapes of all are shown again.
                self._chosen.pop((file, report.qualname), None)
            self._updated(file)

    def forget(self, file: str | None = None) -> None:
        """What was chosen in a file, or anywhere."""
        self._chosen = {which: chosen for which, chosen in self._chosen.items() if file not in (None, which[0])}

    async def _of(self, file: str, qualname: str, choice: str | None) -> ShapeChoices:
        return await self._ask(file, ShapeChoices, qualname=qualname, choice=choice)

    def _reports(self, file: str) -> list[KernelReport]:
        facts = self._facts(file)
        return [] if facts is None else list(facts.reports.values())


@dataclass(frozen=True, slots=True)
class Chosen:
    """``choice``: what sets the constants, as it is spelled. ``key``: the content that the types were found out of.
    ``types``: for a name and the how manieth time that it is assigned, the type that is shown without a choice, and
    that of the choice, None where this does not get there."""

    choice: str
    key: str
    types: dict[tuple[str, int], tuple[str, str | None]]

    def values(self, report: KernelReport) -> list[ValueReport]:
        """What is shown of the report. Where the text is another by now, only what is as it was, until it is found out
        anew."""
        found: list[ValueReport] = []
        for which, value in _counted(report.values):
            before, chosen = self.types.get(which, (None, None))
            if before != value.type:
                found.append(value)
            elif chosen is not None:
                found.append(replace(value, type=chosen, symbolic=None))
        return found


def _chosen(choice: str, report: KernelReport, values: Iterable[ValueReport]) -> Chosen:
    """``values``: those of the same text under the choice."""
    own = {(value.name, place(value.span)): value.type for value in values}
    types = {w: (value.type, own.get((value.name, place(value.span)))) for w, value in _counted(report.values)}
    return Chosen(choice, report.key, types)


def _counted(values: Iterable[ValueReport]) -> Iterator[tuple[tuple[str, int], ValueReport]]:
    counts: Counter[str] = Counter()
    for value in sorted(values, key=lambda value: place(value.span)):
        yield (value.name, counts[value.name]), value
        counts[value.name] += 1
