"""The language server: ties session, client and handlers together; its start and its end.

May not implement LSP methods: those are in ``handlers``, one a file.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from kernel_analysis.files import Unreadable, read_file
from kernel_analysis.report import Finding
from kernel_analysis.wire import Entry
from triton_ls import __version__, convert, markdown
from triton_ls.agents.children import kill_all
from triton_ls.agents.process import Agent, Start
from triton_ls.calm import Calm
from triton_ls.client import Client, read
from triton_ls.configuration import Configuration
from triton_ls.documents import Documents
from triton_ls.facts import Facts
from triton_ls.log import Tail
from triton_ls.progress import Progress
from triton_ls.publish import Publisher
from triton_ls.runs.last import LastRuns
from triton_ls.session import Session
from triton_ls.settings import CLIENT_OPTIONS
from triton_ls.snapshot import Snapshot
from triton_ls.status import METHOD as STATUS
from triton_ls.status import StatusReporter
from triton_ls.text import split_lines
from triton_ls.transport import Input

if TYPE_CHECKING:
    from pygls.server import ServerErrors

logger = logging.getLogger(__name__)

IR_CHANGED = "triton-ls/irChanged"
_PARENT_CHECK = 2.0
_STEP = 0.02


class TritonServer(LanguageServer):
    """One client's server. ``session`` and ``client`` are there from ``initialize`` on."""

    session: Session

    def __init__(self, start: Start = Agent.start) -> None:
        """``start``: an agent."""
        super().__init__("triton-ls", __version__)  # pyright: ignore[reportUnknownMemberType] (pygls: *args untyped)
        self._start = start
        self.client = Client()
        self.editor = "an unknown editor"
        self.log = Tail()
        self.configuration = Configuration(self, self.tell)
        self._last_runs = LastRuns()
        self.cancel_runs: set[Callable[[], None]] = set()
        self._calm = Calm()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self.publisher = Publisher(self._send_diagnostics, lambda: self.client.pulls)
        self._hints = Publisher(self._refresh_hints, lambda: True)
        self._lenses: dict[str, list[tuple[str, str]]] = {}
        self._uris: dict[str, str] = {}
        self._has_session = self._reporting = False
        self._faults: set[str] = set()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start_session(self, params: types.InitializeParams) -> None:
        workspace = self.protocol.workspace
        encoding = types.PositionEncodingKind(workspace.position_encoding or "utf-16").value
        self.client = read(params.capabilities, params.initialization_options, encoding)
        self.protocol._workspace = Documents(  # pyright: ignore[reportPrivateUsage] (pygls has no other way to it)
            workspace.root_uri, types.TextDocumentSyncKind.Incremental, params.workspace_folders or [], encoding
        )
        if params.client_info is not None:
            self.editor = f"{params.client_info.name} {params.client_info.version or ''}".strip()
        asyncio.get_running_loop().set_exception_handler(self.unhandled)
        self._has_session = True
        self.session = Session(
            self.configuration, start=self._start, updated=self._updated, queued=self._queued, tell=self.tell
        )
        self.status = StatusReporter(
            self.session.status, lambda: self.session.busy, lambda status: self.protocol.notify(STATUS, status)
        )
        self._progress = Progress(self, lambda: self.session.outstanding)
        options = params.initialization_options
        if isinstance(options, dict):
            given = cast("dict[str, object]", options)
            options = {name: value for name, value in given.items() if name not in CLIENT_OPTIONS}
        self.configuration.take(options, "initializationOptions")
        if params.process_id is not None and sys.platform != "win32":
            self.spawn(self._watch_client(params.process_id))

    async def configure(self) -> None:
        """Learn the settings, then (re)analyse."""
        roots = self.roots()
        await self.configuration.refresh(roots, self.client.configuration)
        self.session.trusted = self.client.trusted
        self.session.configured(roots)
        self.touch_status()

    def roots(self) -> tuple[str, ...]:
        folders = [folder.uri for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_uri is not None:
            folders = [self.workspace.root_uri]
        return tuple(path.rstrip(os.sep) or os.sep for uri in folders if (path := to_fs_path(uri)) is not None)

    def file_of(self, uri: str) -> str | None:
        """The path of a document; None for one that is no file (not yet saved, a notebook cell)."""
        path = to_fs_path(uri)
        return None if path is None else os.path.normpath(path)

    def opened(self, uri: str, file: str) -> None:
        """Remember how the client spells the name of the file: it is the only spelling that it knows."""
        self._uris[file] = uri

    def edited(self, file: str, text: str, changed: int | None, cursor: int | None) -> None:
        """``changed``: the line of the edit; ``cursor``: the one where it left the cursor."""
        self.session.edited(file, text, changed)
        if self._calm.edited(file, cursor, asyncio.get_running_loop().time()):
            self.publisher.updated(file, True)

    def query(self, method: str, options: object = None) -> Callable[[Callable[[Snapshot, Any], object]], None]:
        """What answers a question about a document from a snapshot, and does nothing else. Of a document that nothing
        is known of there is no answer."""

        def register(answer: Callable[[Snapshot, Any], object]) -> None:
            @self.feature(method, options)
            def _(ls: TritonServer, params: Any) -> object:
                snapshot = ls.snapshot(params.text_document.uri)
                return None if snapshot is None else answer(snapshot, params)

        return register

    def snapshot(self, uri: str) -> Snapshot | None:
        """What may be shown on a document now."""
        file = self.file_of(uri)
        facts = None if file is None else self.session.view(file)
        return None if facts is None else self._snapshot(uri, facts)

    def _snapshot(self, uri: str, facts: Facts) -> Snapshot:
        session, file = self.session, facts.file
        return Snapshot(
            uri=uri,
            facts=facts,
            client=self.client,
            settings=session.settings(file),
            compiled=session.compiled(file),
            chosen=session.shapes.of(file),
            ran=self._last_runs.of(file),
            lines=self.lines,
        )

    def calmly(self, shown: Snapshot) -> list[Finding]:
        """The findings to show now; the client hears of the others as soon as it is time for them."""
        loop, file = asyncio.get_running_loop(), shown.facts.file
        kept, wait = self._calm.shown(file, shown.findings, loop.time())
        if (timer := self._waiting.pop(file, None)) is not None:
            timer.cancel()
        if wait:
            self._waiting[file] = loop.call_later(wait, self.publisher.updated, file, True)
        return kept

    def closed(self, file: str) -> None:
        self._calm.closed(file)
        self._lenses.pop(file, None)
        if (timer := self._waiting.pop(file, None)) is not None:
            timer.cancel()
        uri = self._uris.pop(file, None)
        self.publisher.closed(file)
        if uri is not None and not self.client.pulls:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=[]))

    def lines(self, file: str) -> tuple[str, ...]:
        """The lines of any file: the editor's where it is open."""
        text = self.session.text(file)
        if text is None:
            with suppress(Unreadable):  # a place in a file that has gone is shown as it was reported
                text = read_file(file).decode("utf-8", "replace")
        return split_lines(text or "")

    def tell(self, message: str) -> None:
        """Something that the user has to know."""
        self.touch_status()
        logger.warning("%s", message)
        shown = markdown.message(message)
        self.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=shown))

    def unhandled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody waits for has gone wrong: a fault of ours must not vanish with its task."""
        error = context.get("exception")
        logger.error("%s", context.get("message", "a fault of triton-ls"), exc_info=error)
        message = f"triton-ls: something went wrong ({type(error).__name__}: {error}). The log tells more."
        if error is not None and message not in self._faults:
            self._faults.add(message)
            self.tell(message)

    def temporary_file(self, name: str, text: str) -> str:
        """A read-only file that goes when the server goes."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="triton-ls-", ignore_cleanup_errors=True)
        path = Path(self._temporary.name, name)
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o444)
        return str(path)

    def uri_of(self, file: str) -> str:
        """The client's own spelling of a document that it has opened."""
        return self._uris.get(file) or convert.uri_of(file)

    def show(self, uri: str) -> None:
        """Have the client show a document; one that can't be asked to tells the user where it is."""
        if self.client.show_document:
            self.spawn(self._show(uri))
        else:
            message = markdown.message(f"triton-ls wrote {to_fs_path(uri) or uri}")
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=message))

    async def _show(self, uri: str) -> None:
        try:
            await self.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True))
        except JsonRpcException as error:
            self.tell(f"The editor did not show {uri}: {error}.")

    def touch_status(self) -> None:
        """What the server is at may have changed."""
        if self.client.status:
            self.status.touch()

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Agents and runs end with the session."""
        if not self._has_session:
            return
        for cancel in list(self.cancel_runs):
            cancel()
        while self.cancel_runs:
            await asyncio.sleep(_STEP)
        self._progress.close()
        self.status.close()
        await self.session.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _updated(self, file: str, settled: bool) -> None:
        self.publisher.updated(file, settled)
        if self.client.hints_refresh:
            self._hints.updated(file, settled)
        if self.client.lenses_refresh:
            self._refresh_lenses(file)
        self.touch_status()
        uri = self._uris.get(file)
        if settled and uri is not None and self.client.virtual_documents:
            self.protocol.notify(IR_CHANGED, {"uri": uri})

    def _queued(self) -> None:
        self.touch_status()
        if self.client.progress:
            self._progress.queued()

    def note_run(self, file: str, entry: Entry, summary: str) -> None:
        """What a run came to is shown until the kernel changes."""
        self._last_runs.note(file, entry, summary)
        self.hints_changed()

    def hints_changed(self) -> None:
        """Editors ask for hints when a text changes, and where else they are told to."""
        if self.client.hints_refresh:
            self.workspace_inlay_hint_refresh(None)

    def _refresh_lenses(self, file: str) -> None:
        """Editors ask for lenses when they open a file and when it changes, which is too early to know them."""
        facts = self.session.view(file)
        shown = [(entry.qualname, entry.role) for entry in facts.kernels] if facts is not None else []
        if self._lenses.get(file) != shown:
            self._lenses[file] = shown
            self.workspace_code_lens_refresh(None)

    def _refresh_hints(self, _: str) -> None:
        self.workspace_inlay_hint_refresh(None)

    def _send_diagnostics(self, file: str) -> None:
        if self.client.pulls:
            self.workspace_diagnostic_refresh(None)
            return
        facts, uri = self.session.view(file), self._uris.get(file)
        if facts is None or uri is None:
            return
        found = convert.diagnostics(self.calmly(self._snapshot(uri, facts)), facts, self.client, self.lines)
        version = self.workspace.get_text_document(uri).version if self.client.versioned_diagnostics else None
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri=uri, diagnostics=found, version=version)
        )

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """What goes wrong in telling the client so can't be told to the client."""
        if not self._reporting:
            self._reporting = True
            try:
                super().report_server_error(error, source)
            finally:
                self._reporting = False

    async def run(self, stdin: Input, stdout: BinaryIO) -> None:
        """Until the client ends it: what pygls does in a loop of its own."""
        self._stop_event = stop = threading.Event()
        self.protocol.set_writer(StdoutWriter(stdout))
        reader = StdinAsyncReader(stdin.as_stream(), self.thread_pool)
        await run_async(stop, reader, self.protocol, logger, self.report_server_error)

    @property
    def was_shut_down(self) -> bool:
        """Whether the client said that it would go."""
        return self.protocol._shutdown  # pyright: ignore[reportPrivateUsage] (pygls drops its own exit code)

    async def _watch_client(self, process_id: int) -> None:
        """End with a client that died without a word and whose end of our input somebody else keeps open."""
        while True:
            await asyncio.sleep(_PARENT_CHECK)
            try:
                os.kill(process_id, 0)
            except ProcessLookupError:
                logger.error("the client (process %d) is gone", process_id)
                kill_all()
                os._exit(1)
            except PermissionError:
                continue
