"""What is found out of what all files of the workspace do, once: why something may be another than it says.

Such a question may come back to itself: whether a package's folders are set is asked of every file that may set some,
and what that file means of every import that it has. Nothing but a reason that is found says that there is one, so a
question that is asked while it is being answered is answered by none, and what hangs on that is kept when it is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from kernel_analysis.host.interpreter_views import ResolverView

Answer: TypeAlias = "tuple[str | None, frozenset[str], frozenset[str]]"
"""The reason, the files that it hangs on, and why they may mean something else than was read."""


class FoundOut:
    """Reasons by their questions."""

    def __init__(self, resolver: ResolverView) -> None:
        self._resolver = resolver
        self._known: dict[object, Answer] = {}
        self._open: dict[object, int] = {}
        """What is being answered, the innermost last."""
        self._hangs: list[int] = []
        """For each of them, the outermost that its answer hangs on by now."""
        self._supposed: dict[object, int] = {}
        """What has no reason if none of those has that are being answered, from the one on that it hangs on."""
        self.supposed = 0
        """How often such an answer was given."""

    def clear(self) -> None:
        self._known.clear()
        self._supposed.clear()

    def ask(self, key: object, find: Callable[[], str | None]) -> Answer:
        """The answer that there is, or that ``find`` gives."""
        if key in self._known:
            return self._known[key]
        hangs = self._open.get(key, self._supposed.get(key))
        if hangs is not None:
            self._hang(hangs)
            self.supposed += 1
            return None, frozenset(), frozenset()
        return self._find(key, find)

    def _hang(self, on: int) -> None:
        if self._hangs:
            self._hangs[-1] = min(self._hangs[-1], on)

    def _find(self, key: object, find: Callable[[], str | None]) -> Answer:
        place = self._open[key] = len(self._open)
        self._hangs.append(place)
        before = len(self._supposed)
        try:
            # Whoever asks first, and how, it is the same answer.
            with self._resolver.reading() as files, self._resolver.noting() as notes:
                why = find()
        except BaseException:
            self._drop(before)
            raise
        finally:
            del self._open[key]
            hangs = self._hangs.pop()
        answer = why, frozenset(files), frozenset(notes)
        if why is not None:
            # A reason is one whatever else there is; what was supposed without it is asked again.
            self._drop(before)
            self._known[key] = answer
        elif hangs < place:
            self._supposed[key] = hangs
            for one in [*self._supposed][before:]:
                self._supposed[one] = min(hangs, self._supposed[one])
            self._hang(hangs)
        else:
            # Nothing outside of these has a say, and with none for all of them each finds none.
            self._known.update(dict.fromkeys(self._drop(before), answer))
            self._known[key] = answer
        return answer

    def _drop(self, before: int) -> list[object]:
        """What is supposed since: it is not any more."""
        keys = [*self._supposed][before:]
        for one in keys:
            del self._supposed[one]
        return keys
