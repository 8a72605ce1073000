"""What goes with a question and its answer: the files that were read for it, why it may be another, and the statement
that the scopes around have got to. Keeps books; finds nothing out."""

from __future__ import annotations

import ast
from collections.abc import Generator
from contextlib import contextmanager

from kernel_analysis.host.evaluate.values import Scope


class AnswerNotes:
    """For whoever answers."""

    def __init__(self) -> None:
        self._moments: list[tuple[Scope, int]] = []
        self._reading: list[set[str]] = []
        self._noting: list[set[str]] = []
        self.value_alone = False
        """Whether nobody hears why the answer may be another: then nothing need be found out about that."""
        self.trying: list[ast.Try] = []
        """Those that are being asked whether they fail."""
        self.supposing = False
        """Whether parameters of host functions are what calls in sight pass."""
        self.at_any_time = False
        """Whether the code that asks may run while its file is being imported, as a function may be called then."""
        self.circles: set[object] = set()
        """What was asked for while it was being found out, and still is: an answer that was given meanwhile is none
        for whoever asks at another time."""

    def at(self, scope: Scope, before: int) -> _At:
        """What is asked inside runs while that scope has got to that statement."""
        return _At(self._moments, scope, before)

    def moment(self, scope: Scope) -> int | None:
        """The statement that a scope has got to; None: any time after it has run."""
        for place in range(len(self._moments) - 1, -1, -1):
            if self._moments[place][0] is scope:
                return self._moments[place][1]
        return None

    @contextmanager
    def suppose(self) -> Generator[None]:
        """What is asked inside may rest on what calls in sight pass."""
        outer, self.supposing = self.supposing, True
        try:
            yield
        finally:
            self.supposing = outer

    @contextmanager
    def whenever(self) -> Generator[None]:
        """What is asked inside runs when a function is called."""
        outer, self.at_any_time = self.at_any_time, True
        try:
            yield
        finally:
            self.at_any_time = outer

    def noting(self) -> _Noting:
        """Collects why the answers given inside may be others where the file runs."""
        return _Noting(self, self._noting, set(), told=True)

    def aside(self, notes: set[str]) -> _Noting:
        """Collects them, and tells nobody."""
        return _Noting(self, self._noting, notes, told=False)

    @contextmanager
    def unheard(self) -> Generator[None]:
        """Only what the answers given inside are is wanted, by nobody who hears why they may be others. Whoever inside
        of it listens, because an answer hangs on that, is told as ever."""
        with self.aside(set()):
            self.value_alone = True
            yield

    def note(self, *notes: str) -> None:
        """Say why an answer may be another where the file runs."""
        if self._noting:
            self._noting[-1].update(notes)

    def reading(self) -> _Reading:
        """Collects the files that the answers given inside depend on."""
        return _Reading(self, self._reading)

    @contextmanager
    def circling(self) -> Generator[set[object]]:
        """Collects what the answers given inside went round in a circle to."""
        outer, self.circles = self.circles, set()
        try:
            yield self.circles
        finally:
            outer |= self.circles
            self.circles = outer

    def read(self, files: set[str] | frozenset[str] | tuple[str, ...]) -> None:
        if self._reading:
            self._reading[-1].update(files)


# Entered a hundred thousand times in a check of a hundred files: a generator for each takes twice as long.


class _At:
    __slots__ = ("_moments", "_of")

    def __init__(self, moments: list[tuple[Scope, int]], scope: Scope, before: int) -> None:
        self._moments, self._of = moments, [(scope, before)]
        while isinstance(scope.node, ast.ClassDef) and scope.parent is not None:
            # The body of a class runs where the class stands.
            self._of.append((scope.parent, scope.parent.table.orders.get(id(scope.node), 0)))
            scope = scope.parent

    def __enter__(self) -> None:
        self._moments += self._of

    def __exit__(self, *raised: object) -> None:
        del self._moments[-len(self._of) :]


class _Noting:
    __slots__ = ("_alone", "_by", "_hearing", "_notes", "_told")

    def __init__(self, by: AnswerNotes, hearing: list[set[str]], notes: set[str], *, told: bool) -> None:
        self._by, self._hearing, self._notes, self._told, self._alone = by, hearing, notes, told, False

    def __enter__(self) -> set[str]:
        self._hearing.append(self._notes)
        self._alone, self._by.value_alone = self._by.value_alone, False
        return self._notes

    def __exit__(self, *raised: object) -> None:
        self._by.value_alone = self._alone
        self._hearing.pop()
        if self._told:
            self._by.note(*self._notes)


class _Reading:
    __slots__ = ("_by", "_files", "_hearing")

    def __init__(self, by: AnswerNotes, hearing: list[set[str]]) -> None:
        self._by, self._hearing, self._files = by, hearing, set[str]()

    def __enter__(self) -> set[str]:
        self._hearing.append(self._files)
        return self._files

    def __exit__(self, *raised: object) -> None:
        self._hearing.pop()
        self._by.read(self._files)
