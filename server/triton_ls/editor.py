"""The editor at the other end, as whoever has something to show, to say, to ask or to write sees it.

May not know what is shown: it has never heard of kernels.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import tempfile
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from triton_ls import convert, markdown
from triton_ls.client import Client
from triton_ls.uris import path_of

logger = logging.getLogger(__name__)

Tell = Callable[[str], None]


class Editor:
    """``client``: what it can do, known from ``initialize`` on; ``name``: what it calls itself."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self.client = Client()
        self.name = "an unknown editor"
        self._uris: dict[str, str] = {}
        self._cancels: set[Callable[[], None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    # Files -----------------------------------------------------------------------------------------------------------

    def roots(self) -> tuple[str, ...]:
        """The folders of the workspace."""
        workspace = self._server.workspace
        folders = [folder.uri for folder in workspace.folders.values()]
        if not folders and workspace.root_uri is not None:
            folders = [workspace.root_uri]
        return tuple(path.rstrip(os.sep) or os.sep for uri in folders if (path := path_of(uri)) is not None)

    def file(self, uri: str) -> str:
        """The path of a document that a command is about; ``JsonRpcInvalidParams`` where it is no file."""
        file = convert.file_of(uri)
        if file is None:
            raise JsonRpcInvalidParams(f"{uri} is no file.")
        return file

    def opened(self, uri: str, file: str) -> None:
        """Remember how the client spells the name of the file: it is the only spelling that it knows."""
        self._uris[file] = uri

    def closed(self, file: str) -> None:
        """The document is the client's no more."""
        self._uris.pop(file, None)

    def opened_as(self, file: str) -> str | None:
        """The client's own spelling of a document that it has open."""
        return self._uris.get(file)

    def uri_of(self, file: str) -> str:
        """The client's spelling of any file."""
        return self._uris.get(file) or convert.uri_of(file)

    def text(self, uri: str) -> str:
        """What an open document holds."""
        return self._server.workspace.get_text_document(uri).source

    def version(self, uri: str) -> int | None:
        """Which of its texts that is."""
        return self._server.workspace.get_text_document(uri).version

    # To show and to say ----------------------------------------------------------------------------------------------

    def show(self, uri: str) -> None:
        """Have the client show a document; one that can't be asked to tells the user where it is."""
        if self.client.show_document:
            self.spawn(self._show(uri))
        else:
            self.say(f"triton-ls wrote {path_of(uri) or uri}")

    def show_text(self, name: str, text: str) -> str:
        """Show a text as a read-only file that goes when the server goes; its URI."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="triton-ls-", ignore_cleanup_errors=True)
        path = Path(self._temporary.name, name)
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o444)
        uri = convert.uri_of(str(path))
        self.show(uri)
        return uri

    async def select(self, uri: str, line: int) -> None:
        """Have the client show a line of a document, from 0, if it can."""
        if self.client.show_document:
            place = types.Position(line, 0)
            params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=types.Range(place, place))
            await self._server.window_show_document_async(params)

    def say(self, message: str) -> None:
        """Something that the user asked for."""
        shown = markdown.message(message)
        self._server.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=shown))

    def tell(self, message: str) -> None:
        """Something that the user has to know."""
        logger.warning("%s", message)
        shown = markdown.message(message)
        self._server.window_show_message(types.ShowMessageParams(type=types.MessageType.Warning, message=shown))

    def notify(self, method: str, params: object) -> None:
        """A message of our own, to a client that has said that it wants it."""
        self._server.protocol.notify(method, params)

    def ask_for_hints(self) -> None:
        """Editors ask for hints when a text changes, and where else they are told to."""
        if self.client.hints_refresh:
            self._server.workspace_inlay_hint_refresh(None)

    def ask_for_lenses(self) -> None:
        """They ask for lenses when they open a file and when it changes, which is too early to know them."""
        if self.client.lenses_refresh:
            self._server.workspace_code_lens_refresh(None)

    def ask_for_diagnostics(self) -> None:
        """There are others, for a client that pulls them."""
        self._server.workspace_diagnostic_refresh(None)

    def publish(self, uri: str, found: list[types.Diagnostic], version: int | None = None) -> None:
        """Diagnostics of a document, for a client that doesn't pull them."""
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    # To ask and to write ---------------------------------------------------------------------------------------------

    async def choose(self, message: str, choices: Sequence[str]) -> str | None:
        """Which of them the user wants; None: none was chosen."""
        actions = [types.MessageActionItem(title) for title in choices]
        params = types.ShowMessageRequestParams(types.MessageType.Info, message, actions)
        answer = await self._server.window_show_message_request_async(params)
        return None if answer is None else answer.title

    async def apply(self, edit: types.WorkspaceEdit, label: str) -> types.ApplyWorkspaceEditResult:
        """Have it change documents."""
        return await self._server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, label))

    @contextlib.asynccontextmanager
    async def progress(self, title: str, what: str = "The run") -> AsyncGenerator[Tell, None]:
        """A progress bar with which the body can be cancelled, and its text."""
        task = asyncio.current_task()
        assert task is not None
        cancelled = False

        def cancel() -> None:
            nonlocal cancelled
            cancelled = True
            task.cancel()

        self._cancels.add(cancel)
        try:
            async with self._bar(title, cancel) as tell:
                yield tell
        except asyncio.CancelledError:
            if cancelled:
                raise JsonRpcException(f"{what} was cancelled; its processes are gone.") from None
            raise
        finally:
            self._cancels.discard(cancel)

    @property
    def waits(self) -> bool:
        """Whether it shows progress that can be cancelled."""
        return bool(self._cancels)

    def cancel(self) -> None:
        """End what it shows the progress of."""
        for cancel in list(self._cancels):
            cancel()

    # ------------------------------------------------------------------------------------------------------------------

    def spawn(self, work: Any) -> None:
        """Have a coroutine run to its end, of which nobody waits for the result."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """What was written for it goes with the server."""
        if self._temporary is not None:
            self._temporary.cleanup()

    async def _show(self, uri: str) -> None:
        try:
            await self._server.window_show_document_async(types.ShowDocumentParams(uri=uri, take_focus=True))
        except JsonRpcException as error:
            self.tell(f"The editor did not show {uri}: {error}.")

    @contextlib.asynccontextmanager
    async def _bar(self, title: str, cancel: Callable[[], None]) -> AsyncGenerator[Tell, None]:
        if not self.client.progress:
            yield _silent
            return
        bar, token = self._server.work_done_progress, str(uuid.uuid4())
        try:
            await bar.create_async(token)  # pyright: ignore[reportUnknownMemberType] (pygls: Future of anything)
        except JsonRpcException:
            yield _silent
            return
        loop = asyncio.get_running_loop()
        bars: Any = bar  # pygls says nothing of what its futures hold
        asked = bars.tokens[token]

        def ended(_: object) -> None:
            if asked.cancelled():
                loop.call_soon_threadsafe(cancel)

        asked.add_done_callback(ended)
        bar.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
        try:
            yield lambda text: bar.report(token, types.WorkDoneProgressReport(message=text))
        finally:
            bar.end(token, types.WorkDoneProgressEnd())


def _silent(text: str) -> None:
    """For clients that show no progress."""
