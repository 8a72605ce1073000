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

    @contextmanager
    def at(self, scope: Scope, before: int) -> Generator[None]:
        """What is asked inside runs while that scope has got to that statement."""
        moments = [(scope, before)]
        while isinstance(scope.node, ast.ClassDef) and scope.parent is not None:
            # The body of a class runs where the class stands.
            moments.append((scope.parent, scope.parent.table.orders.get(id(scope.node), 0)))
            scope = scope.parent
        self._moments += moments
        try:
            yield
        finally:
            del self._moments[-len(moments) :]

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

    @contextmanager
    def noting(self) -> Generator[set[str]]:
        """Collects why the answers given inside may be others where the file runs."""
        notes: set[str] = set()
        self._noting.append(notes)
        alone, self.value_alone = self.value_alone, False
        try:
            yield notes
        finally:
            self.value_alone = alone
            self._noting.pop()
            self.note(*notes)

    @contextmanager
    def aside(self, notes: set[str]) -> Generator[None]:
        """Collects them, and tells nobody."""
        self._noting.append(notes)
        alone, self.value_alone = self.value_alone, False
        try:
            yield
        finally:
            self.value_alone = alone
            self._noting.pop()

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

    @contextmanager
    def reading(self) -> Generator[set[str]]:
        """Collects the files that the answers given inside depend on."""
        files: set[str] = set()
        self._reading.append(files)
        try:
            yield files
        finally:
            self._reading.pop()
            self.read(files)

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
