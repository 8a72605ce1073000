"""The language server: ties the client's messages to handlers, what they need to them; its start and its end.

May not implement LSP methods: those are in ``handlers``, one a file.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from triton_ls import __version__, convert
from triton_ls.agents.agent_process import Agent, Start
from triton_ls.agents.children import kill_all
from triton_ls.client import read
from triton_ls.configuration import Configuration
from triton_ls.display import Display
from triton_ls.documents import Documents
from triton_ls.editor import Editor
from triton_ls.log import Tail
from triton_ls.progress import Progress
from triton_ls.protocol import Protocol
from triton_ls.session import Session
from triton_ls.settings import CLIENT_OPTIONS
from triton_ls.snapshot import Snapshot
from triton_ls.transport import Input

if TYPE_CHECKING:
    from pygls.server import ServerErrors

logger = logging.getLogger(__name__)

_PARENT_CHECK = 2.0
_STEP = 0.02


class TritonServer(LanguageServer):
    """One client's server. ``session`` and ``display`` are there from ``initialize`` on."""

    session: Session
    display: Display

    def __init__(self, start: Start = Agent.start) -> None:
        """``start``: an agent."""
        super().__init__("triton-ls", __version__, protocol_cls=Protocol)  # pyright: ignore[reportUnknownMemberType] (pygls: *args untyped)
        self._start = start
        self.editor = Editor(self)
        self.log = Tail()
        self.configuration = Configuration(self, self.editor.tell)
        self._has_session = self._reporting = False
        self._faults: set[str] = set()

    def start_session(self, params: types.InitializeParams) -> None:
        workspace = self.protocol.workspace
        encoding = types.PositionEncodingKind(workspace.position_encoding or "utf-16").value
        client = self.editor.client = read(params.capabilities, params.initialization_options, encoding)
        self.protocol._workspace = Documents(  # pyright: ignore[reportPrivateUsage] (pygls has no other way to it)
            workspace.root_uri, types.TextDocumentSyncKind.Incremental, params.workspace_folders or [], encoding
        )
        if params.client_info is not None:
            self.editor.name = f"{params.client_info.name} {params.client_info.version or ''}".strip()
        asyncio.get_running_loop().set_exception_handler(self.unhandled)
        session = self.session = Session(self.configuration, self._start, client.trusted)
        progress = Progress(self, lambda: session.outstanding)
        self.display = session.audience = Display(self.editor, session, progress)
        self._has_session = True
        options = params.initialization_options
        if isinstance(options, dict):
            given = cast("dict[str, object]", options)
            options = {name: value for name, value in given.items() if name not in CLIENT_OPTIONS}
        self.configuration.take(options, "initializationOptions")
        if params.process_id is not None and sys.platform != "win32":
            self.editor.spawn(self._watch_client(params.process_id))

    # What handlers are given -----------------------------------------------------------------------------------------

    def query(self, method: str, options: object = None) -> Callable[[Callable[[Snapshot, Any], object]], None]:
        """What answers a question about a document from a snapshot, and does nothing else. Of a document that nothing
        is known of there is no answer."""

        def register(answer: Callable[[Snapshot, Any], object]) -> None:
            @self.feature(method, options)
            def _(ls: TritonServer, params: Any) -> object:
                file = convert.file_of(params.text_document.uri)
                shown = None if file is None else ls.display.snapshot(file)
                return None if shown is None else answer(shown, params)

        return register

    def event(self, method: str) -> Callable[[Callable[[Session, Editor, Any], Any]], None]:
        """What the client says has happened. What it says next is heard when that was taken in, unless it takes
        longer than a step of the loop."""

        def register(hear: Callable[[Session, Editor, Any], Any]) -> None:
            if inspect.iscoroutinefunction(hear):

                @self.feature(method)
                async def _(ls: TritonServer, params: Any) -> None:
                    await hear(ls.session, ls.editor, params)

            else:

                @self.feature(method)
                def _(ls: TritonServer, params: Any) -> None:
                    hear(ls.session, ls.editor, params)

        return register

    def action(self, name: str) -> Callable[[Callable[..., Any]], None]:
        """What the user asks for: a command, which is given the session, the editor and the client's arguments."""

        def register(act: Callable[..., Any]) -> None:
            takes = inspect.signature(act)

            @self.command(name)
            async def _(ls: TritonServer, *arguments: Any) -> Any:
                try:
                    given = takes.bind(ls.session, ls.editor, *arguments)
                except TypeError as error:
                    raise JsonRpcInvalidParams(f"{name}: {error}.") from error
                answer = act(*given.args)
                return await answer if inspect.isawaitable(answer) else answer

        return register

    # Faults and the end ----------------------------------------------------------------------------------------------

    def unhandled(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What nobody waits for has gone wrong: a fault of ours must not vanish with its task."""
        error = context.get("exception")
        logger.error("%s", context.get("message", "a fault of triton-ls"), exc_info=error)
        message = f"triton-ls: something went wrong ({type(error).__name__}: {error}). The log tells more."
        if error is not None and message not in self._faults:
            self._faults.add(message)
            self.editor.tell(message)

    async def stop(self) -> None:
        """Agents and runs end with the session."""
        if not self._has_session:
            return
        self.editor.cancel()
        while self.editor.waits:
            await asyncio.sleep(_STEP)
        self.display.close()
        await self.session.close()
        self.editor.close()

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
