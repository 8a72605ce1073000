"""Who hears what happens in a session. Nothing but the interface: a session does not know what is shown."""

from __future__ import annotations

from typing import Protocol


class Audience(Protocol):
    """``display.Display`` is the one of an editor."""

    def edited(self, file: str, first: int | None, cursor: int | None, added: int) -> None:
        """A document has another text from a line on, the cursor is on that line now, where that can be told, and there
        are so many more lines."""

    def saved(self) -> None:
        """Somebody is done with what was typed."""

    def opened_again(self, file: str) -> None:
        """The document is open already, and its text is the same."""

    def closed(self, file: str) -> None:
        """A document was closed."""

    def updated(self, file: str, settled: bool) -> None:
        """There are new facts; ``settled``: all of them."""

    def queued(self) -> None:
        """There is work."""

    def touched(self) -> None:
        """What the session is at may have changed."""

    def told(self, message: str) -> None:
        """Something that the user has to know."""
