"""What is asked of all files may come back to itself: every way for few questions to hang on each other, with any of
them having a reason of its own, in every order, against what is the case: there is a reason where a question comes to
one that has it, and where there is none all that was read for it counts, whoever was asked first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

import pytest

from kernel_analysis.host.changes.found_out import FoundOut

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

Edges = Sequence[tuple[int, ...]]


class _Heard:
    """Stands for a resolver: what is read, and why it may be another, is told to who listens, and on."""

    def __init__(self) -> None:
        self.files: list[set[str]] = []
        self.notes: list[set[str]] = []

    @contextmanager
    def reading(self) -> Generator[set[str]]:
        self.files.append(set())
        yield self.files[-1]
        self.read(self.files.pop())

    @contextmanager
    def noting(self) -> Generator[set[str]]:
        self.notes.append(set())
        yield self.notes[-1]
        self.note(*self.notes.pop())

    def read(self, files: Iterable[str]) -> None:
        if self.files:
            self.files[-1].update(files)

    def note(self, *notes: str) -> None:
        if self.notes:
            self.notes[-1].update(notes)


def _held(edges: Edges, reasons: frozenset[int], order: Sequence[int]) -> None:
    heard = _Heard()
    found = FoundOut(cast("ResolverView", heard))
    finding: list[int] = []

    def ask(question: int) -> str | None:
        why, files, notes = found.ask(question, lambda: find(question))
        heard.read(files)
        heard.note(*notes)
        return why

    def find(question: int) -> str | None:
        assert question not in finding
        finding.append(question)
        heard.read((f"file {question}",))
        heard.note(f"note {question}")
        why = next((why for other in edges[question] if (why := ask(other)) is not None), None)
        finding.pop()
        return why or ("reason" if question in reasons else None)

    for question in order:
        come_to = _come_to(edges, question)
        with heard.reading() as files, heard.noting() as notes:
            why = ask(question)
        assert (why is not None) == bool(come_to & reasons), (edges, reasons, order)
        if why is None:
            assert files == {f"file {one}" for one in come_to}, (edges, reasons, order)
            assert notes == {f"note {one}" for one in come_to}, (edges, reasons, order)


def _come_to(edges: Edges, question: int) -> set[int]:
    seen, todo = {question}, [question]
    while todo:
        fresh = set(edges[todo.pop()]) - seen
        seen |= fresh
        todo += fresh
    return seen


def test_three_questions() -> None:
    for edges in itertools.product([(), (0,), (1,), (2,), (0, 1), (1, 2), (2, 0), (2, 1, 0)], repeat=3):
        for reasons in [frozenset[int](), frozenset({0}), frozenset({1}), frozenset({2})]:
            for order in itertools.permutations(range(3)):
                _held(edges, reasons, order)


@pytest.mark.parametrize("seed", range(4))
def test_several(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(1500):
        some = range(chance.randint(4, 8))
        edges = [tuple(chance.sample(some, chance.randint(0, 3))) for _ in some]
        reasons = frozenset(one for one in some if chance.random() < chance.choice((0, 0.1, 0.3)))
        _held(edges, reasons, chance.choices(some, k=6))


def test_what_fails_is_asked_again() -> None:
    found = FoundOut(cast("ResolverView", _Heard()))

    def fails() -> str | None:
        found.ask("inner", lambda: found.ask("outer", fails)[0])
        raise RecursionError

    with pytest.raises(RecursionError):
        found.ask("outer", fails)
    assert found.ask("inner", lambda: "reason")[0] == "reason"
    assert found.ask("outer", lambda: None)[0] is None
