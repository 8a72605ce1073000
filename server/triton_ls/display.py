"""What the client sees without asking: diagnostics, hints and lenses as facts come in, what the server is at.

May not find anything out: it shows what the session knows, when it is time for it.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from lsprotocol import types

from kernel_analysis.files import Unreadable, read_file
from kernel_analysis.report import Finding
from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.error_delay import ErrorDelay
from triton_ls.progress import Progress
from triton_ls.publish import Publisher
from triton_ls.session import Session
from triton_ls.snapshot import Snapshot
from triton_ls.status import METHOD as STATUS
from triton_ls.status import StatusReporter
from triton_ls.text import split_lines

IR_CHANGED = "triton-ls/irChanged"


class Display:
    """Of one session, to one editor: the session tells it what happens (``session.Audience``)."""

    def __init__(self, editor: Editor, session: Session, progress: Progress) -> None:
        self._editor, self._session, self._progress = editor, session, progress
        self._error_delay = ErrorDelay()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._diagnostics = Publisher(self._send_diagnostics, lambda: editor.client.pulls)
        self._hints = Publisher(lambda _: editor.ask_for_hints(), lambda: True)
        self._lenses: dict[str, list[tuple[str, str]]] = {}
        self._published: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        self._status = StatusReporter(
            session.status, lambda: session.busy, lambda status: editor.notify(STATUS, status)
        )

    def snapshot(self, file: str) -> Snapshot | None:
        """What may be shown on a document now."""
        session, facts = self._session, self._session.view(file)
        if facts is None:
            return None
        return Snapshot(
            uri=self._editor.uri_of(file),
            facts=facts,
            client=self._editor.client,
            settings=session.settings(file),
            compiled=session.resources.of(file),
            chosen=session.shapes.of(file),
            ran=session.last_runs.of(file),
            lines=self._lines,
        )

    def findings_now(self, shown: Snapshot) -> list[Finding]:
        """The findings to show now; the client hears of the others as soon as it is time for them."""
        loop, file = asyncio.get_running_loop(), shown.facts.file
        kept, wait = self._error_delay.shown(file, shown.findings, loop.time())
        if (timer := self._waiting.pop(file, None)) is not None:
            timer.cancel()
        if wait:
            self._waiting[file] = loop.call_later(wait, self._diagnostics.updated, file, True)
        return kept

    def close(self) -> None:
        """Nothing more is shown."""
        self._progress.close()
        self._status.close()

    # What the session says -------------------------------------------------------------------------------------------

    def edited(self, file: str, first: int | None, cursor: int | None, added: int) -> None:
        if self._error_delay.edited(file, first, cursor, added, asyncio.get_running_loop().time()):
            self._diagnostics.updated(file, True)

    def saved(self) -> None:
        self._error_delay.saved()
        for file in [*self._waiting]:
            self._diagnostics.updated(file, True)

    def opened_again(self, file: str) -> None:
        """Whoever opens it may have nothing of what was shown."""
        self._published.pop(file, None)
        self.updated(file, True)

    def closed(self, file: str) -> None:
        self._error_delay.closed(file)
        self._lenses.pop(file, None)
        self._published.pop(file, None)
        if (timer := self._waiting.pop(file, None)) is not None:
            timer.cancel()
        self._diagnostics.closed(file)
        uri = self._editor.opened_as(file)
        if uri is not None and not self._editor.client.pulls:
            self._editor.publish(uri, [])

    def updated(self, file: str, settled: bool) -> None:
        self._diagnostics.updated(file, settled)
        if self._editor.client.hints_refresh:
            self._hints.updated(file, settled)
        if self._editor.client.lenses_refresh:
            self._refresh_lenses(file)
        self.touched()
        uri = self._editor.opened_as(file)
        if settled and uri is not None and self._editor.client.virtual_documents:
            self._editor.notify(IR_CHANGED, {"uri": uri})

    def queued(self) -> None:
        self.touched()
        if self._editor.client.progress:
            self._progress.queued()

    def touched(self) -> None:
        if self._editor.client.status:
            self._status.touch()

    def told(self, message: str) -> None:
        self.touched()
        self._editor.tell(message)

    # ------------------------------------------------------------------------------------------------------------------

    def _lines(self, file: str) -> tuple[str, ...]:
        """The lines of any file: the editor's where it is open."""
        text = self._session.text(file)
        if text is None:
            with suppress(Unreadable):  # a place in a file that has gone is shown as it was reported
                text = read_file(file).decode("utf-8", "replace")
        return split_lines(text or "")

    def _refresh_lenses(self, file: str) -> None:
        facts = self._session.view(file)
        shown = [(entry.qualname, entry.role) for entry in facts.kernels] if facts is not None else []
        if self._lenses.get(file) != shown:
            self._lenses[file] = shown
            self._editor.ask_for_lenses()

    def _send_diagnostics(self, file: str) -> None:
        editor = self._editor
        if editor.client.pulls:
            editor.ask_for_diagnostics()
            return
        shown, uri = self.snapshot(file), editor.opened_as(file)
        if shown is None or uri is None:
            return
        found = convert.diagnostics(self.findings_now(shown), shown.facts, shown.client, shown.lines)
        now = (editor.version(uri), found)
        if self._published.get(file) != now:  # that all is known now changes nothing most of the time
            self._published[file] = now
            editor.publish(uri, found, now[0] if editor.client.versioned_diagnostics else None)
