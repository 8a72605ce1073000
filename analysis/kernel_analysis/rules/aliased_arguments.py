"""``aliased-arguments``: a launch passes one tensor for a parameter that the kernel writes, and for one that it reads
at other addresses: programs read what others have written already.

Silent where the addresses may be the same, or each program keeps to its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

from kernel_analysis.dataflow.twice.addresses import Address, Terms
from kernel_analysis.host.evaluate.values import Items, UserFunction
from kernel_analysis.host.tensors.launches.aliases import PassedTensor, aliases
from kernel_analysis.host.tensors.launches.certain_launches import Certain
from kernel_analysis.report import Edit, Finding, Fix, Related
from kernel_analysis.rules.subject import Subject
from kernel_analysis.span import Span

CODE = "aliased-arguments"

_ARGUMENT: Final = re.compile(r"arg:\w+")
_OF_ITS_OWN: Final = re.compile(r"tt\.load\(|turn:")
_RANGE: Final = re.compile(r"range:(\d+):(\d+)")


def check(subject: Subject, launches: Sequence[Certain], accesses: Sequence[Address]) -> Iterator[Finding]:
    """Of the launches of a kernel, whose accesses are all known."""
    for launch in launches:
        if _one_program(launch) or not launch.happens:
            continue
        for group in aliases(launch):
            found = next(_hazards(subject, launch, group, accesses), None)
            if found is not None:
                yield found


def _hazards(
    subject: Subject, launch: Certain, group: list[PassedTensor], accesses: Sequence[Address]
) -> Iterator[Finding]:
    for written in group:
        for read in group:
            if written is read or written.parameter is read.parameter:
                continue
            for store in accesses:
                if not store.writes or store.parameter != written.parameter.name or not _always(subject, store):
                    continue
                for load in accesses:
                    if load.writes or load.parameter != read.parameter.name or not _always(subject, load):
                        continue
                    if _crosses(launch, load, store, read.start - written.start):
                        yield _finding(subject, launch, read, written, load, store)


def _always(subject: Subject, access: Address) -> bool:
    return subject.places.condition(access.site.at, access.site.path) is None


def _one_program(launch: Certain) -> bool:
    """Whether the grid is a single program."""
    grid, at = launch.launch.grid, launch.at
    if grid is None:
        return False
    value = at.resolver.evaluator.evaluate(grid, at.scope, at.order)
    if isinstance(value, UserFunction) and isinstance(value.node, ast.Lambda):
        inside = at.inside(value)
        value = at.resolver.evaluator.evaluate(value.node.body, inside.scope, inside.order)
    return isinstance(value, Items) and bool(value.values) and all(axis == 1 for axis in value.values)


def _crosses(launch: Certain, load: Address, store: Address, apart: int) -> bool:
    """Whether a program reads what another writes."""
    if load.terms is None or store.terms is None:
        return False
    reads, writes = _merged(load.terms), _merged(store.terms)
    if apart:
        reads[()] = reads.get((), 0) + apart
    if _without_zeros(reads) == _without_zeros(writes):
        return False
    ours, theirs = _of_program(reads), _of_program(writes)
    if ours != theirs:
        differ = [key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)]
        # An index that is loaded may be one of the program's own, and so may be the rows that it goes through.
        return not any(_OF_ITS_OWN.search(factor) for key in differ for factor in key)
    if len(ours) != 1:
        return False
    (factors, step), *_ = ours.items()
    first, second = _extent(reads, factors), _extent(writes, factors)
    if len(factors) != 1 or not step or first is None or second is None:
        return False
    # The next program is there, where there are several.
    return any(first[0] + by <= second[1] and second[0] <= first[1] + by for by in (-step, step))


def _merged(terms: Terms) -> dict[tuple[str, ...], int]:
    """The sum, as if all numbers that are passed were one: two strides may be the same."""
    found: dict[tuple[str, ...], int] = {}
    for factors, count in terms:
        key = tuple(sorted(_ARGUMENT.sub("arg:?", factor) for factor in factors))
        found[key] = found.get(key, 0) + count
    return found


def _without_zeros(terms: dict[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    return {key: count for key, count in terms.items() if count}


def _of_program(terms: dict[tuple[str, ...], int]) -> dict[tuple[str, ...], int]:
    return {key: count for key, count in terms.items() if count and any("program:" in factor for factor in key)}


def _extent(terms: dict[tuple[str, ...], int], but: tuple[str, ...]) -> tuple[int, int] | None:
    """The first and last address of a block, where it is made of ranges and numbers alone."""
    low = high = 0
    for key, count in terms.items():
        if key == but or not count:
            continue
        found = _RANGE.match(key[0]) if len(key) == 1 else None
        if key == ():
            low, high = low + count, high + count
        elif found is None:
            return None
        else:
            ends = sorted((int(found[1]) * count, (int(found[2]) - 1) * count))
            low, high = low + ends[0], high + ends[1]
    return low, high


def _finding(
    subject: Subject, launch: Certain, read: PassedTensor, written: PassedTensor, load: Address, store: Address
) -> Finding:
    places = subject.places
    message = (
        f"one tensor is passed for `{read.parameter.name}` and `{written.parameter.name}`, and {subject.noun} reads it "
        "at other addresses than it writes: programs read what others have written already"
    )
    related = (
        Related(places.span(load.site.at, load.site.path), f"`{read.parameter.name}` is read here"),
        Related(places.span(store.site.at, store.site.path), f"`{written.parameter.name}` is written here"),
    )
    span = subject.module.span(read.node)
    end = Span(span.file, span.end_line, span.end_column, span.end_line, span.end_column)
    simple = isinstance(read.node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    # What is written to a copy is lost.
    only_read = all(p.written == "no" for p in subject.report.parameters if p.name == read.parameter.name)
    fixes = (Fix("Read from a copy", (Edit(end, ".clone()"),)),) if simple and only_read else ()
    return Finding(CODE, "warning", message, span, related, fixes)
