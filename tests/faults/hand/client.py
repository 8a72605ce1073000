"""A client of a real server that keeps all that it was shown, with the time and the text that it was shown on.

Speaks the protocol by itself, without a library: what the server writes is looked at as it is written. May not judge.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import psutil

from hand.texts import COUNTED

SOURCES = Path(__file__).parents[3]
INTERPRETER = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
QUIET = 0.9
"""Seconds without a word, and without work, after which a server has come to rest: more than any of its pauses."""
_LATEST = 1.8
"""After the last key: what waits for rest is said a little before."""
PATIENCE = 120.0
_END = 15.0
CAPABILITIES: dict[str, Any] = {
    "textDocument": {
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True},
        "hover": {"contentFormat": ["markdown"]},
        "inlayHint": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix"]}}},
    },
    "workspace": {
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "workspaceFolders": True,
        "inlayHint": {"refreshSupport": True},
        "codeLens": {"refreshSupport": True},
    },
}

PULLS: dict[str, Any] = {
    **CAPABILITIES,
    "textDocument": {**CAPABILITIES["textDocument"], "diagnostic": {"relatedDocumentSupport": False}},
    "workspace": {**CAPABILITIES["workspace"], "diagnostics": {"refreshSupport": True}},
}
"""Of an editor that asks for diagnostics: after each change, and whenever it is told to."""

Message = dict[str, Any]


class Refused(Exception):
    """The server answered with an error."""


@dataclass(frozen=True, slots=True)
class Published:
    """Diagnostics as they came. ``version``: of the text that they are for; ``sent``: the newest that we had sent."""

    at: float
    uri: str
    version: int | None
    sent: int | None
    found: list[Message]


@dataclass(slots=True)
class Open:
    """A document that the editor shows. ``texts``: all versions of it, ``times``: when each was sent; ``cursors``: the
    line that each edit left the cursor on; ``typed``: what lines that were edited have been."""

    language: str
    version: int
    texts: dict[int, str] = field(default_factory=dict[int, str])
    times: dict[int, float] = field(default_factory=dict[int, float])
    cursors: dict[int, int | None] = field(default_factory=dict[int, "int | None"])
    typed: set[str] = field(default_factory=set[str])

    @property
    def text(self) -> str:
        return self.texts[self.version]


class Client:
    """``published``: all diagnostics ever shown; ``slowest``: the longest that an answer took; ``pulls``: it asks for
    diagnostics."""

    def __init__(self, process: asyncio.subprocess.Process, settings: Mapping[str, Any], pulls: bool) -> None:
        self._process, self.settings, self.pulls = process, settings, pulls
        self._pulled: dict[str, str] = {}
        self._pulling: set[asyncio.Task[None]] = set()
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._ids = 0
        self.documents: dict[str, Open] = {}
        self._last: dict[str, int] = {}
        self.published: list[Published] = []
        self.told: list[str] = []
        self.wrong: list[str] = []
        self.registered: set[str] = set()
        self.log: list[str] = []
        self.state = ""
        self.slowest = (0.0, "")
        self._heard = time.monotonic()
        self._tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._read_log())]

    # What the editor does --------------------------------------------------------------------------------------------

    def open(self, uri: str, text: str, language: str = "python") -> None:
        last = self.documents[uri].version if uri in self.documents else self._last.get(uri, 0)
        version = last + 1  # what is still on its way is known by its number
        now = time.monotonic()
        self.documents[uri] = Open(language, version, {version: text}, {version: now}, {version: None})
        item = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        self._pull(uri)

    def change(self, uri: str, text: str, changes: list[Message], cursor: int | None) -> None:
        """``text``: what they make of it."""
        document = self.documents[uri]
        document.version += 1
        document.texts[document.version] = text
        document.times[document.version] = time.monotonic()
        document.cursors[document.version] = cursor
        if cursor is not None:
            first = changes[-1]["range"]["start"]["line"]
            document.typed |= {line.strip() for line in text.split("\n")[first : cursor + 1]}
        about = {"uri": uri, "version": document.version}
        self.notify("textDocument/didChange", {"textDocument": about, "contentChanges": changes})
        self._pull(uri)

    def save(self, uri: str) -> None:
        self.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def close(self, uri: str) -> None:
        self._last[uri] = self.documents.pop(uri).version
        self._pulled.pop(uri, None)
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        if self.pulls:  # what was pulled goes with the document
            self.published.append(Published(time.monotonic(), uri, None, None, []))

    def changed_on_disk(self, *uris: str) -> None:
        """What came, went or changed, to a server that wants to know."""
        if "workspace/didChangeWatchedFiles" in self.registered:
            changes = [
                {"uri": uri, "type": 2 if Path(url2pathname(urlsplit(uri).path)).exists() else 3} for uri in uris
            ]
            self.notify("workspace/didChangeWatchedFiles", {"changes": changes})

    def shown(self, uri: str) -> list[Message]:
        """The diagnostics that the editor shows now."""
        return next((each.found for each in reversed(self.published) if each.uri == uri), [])

    def _pull(self, *uris: str) -> None:
        for uri in uris if self.pulls else ():
            task = asyncio.create_task(self._ask_for_diagnostics(uri))
            self._pulling.add(task)
            task.add_done_callback(self._pulling.discard)

    async def _ask_for_diagnostics(self, uri: str) -> None:
        document = self.documents.get(uri)
        if document is None:
            return  # closed meanwhile
        version, before = document.version, self._pulled.get(uri)
        known = {} if before is None else {"previousResultId": before}
        report = await self.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}, **known})
        if self.documents.get(uri) is not document or document.version != version:
            return  # it was asked again then
        if self._pulled.get(uri) != before:
            self._pull(uri)  # of two answers on their way, which is the newer is not to be seen
            return
        self._heard = time.monotonic()
        found = report["items"] if report["kind"] == "full" else self.shown(uri)
        self.published.append(Published(self._heard, uri, version, version, found))
        if "resultId" in report:
            self._pulled[uri] = report["resultId"]

    # The wire --------------------------------------------------------------------------------------------------------

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    async def ask(self, method: str, params: Any, cancelled: bool = False) -> Any:
        self._ids += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[self._ids] = future
        began = time.monotonic()
        self._send({"id": self._ids, "method": method, "params": params})
        if cancelled:
            self.notify("$/cancelRequest", {"id": self._ids})
        answer = await asyncio.wait_for(future, PATIENCE)
        if method != "initialize":  # the server has to start
            self.slowest = max(self.slowest, (time.monotonic() - began, method))
        return answer

    async def rest(self) -> None:
        """Until nothing is said and nothing is worked at."""
        end = time.monotonic() + PATIENCE
        worked, since = self._worked(), time.monotonic()
        while True:
            await asyncio.sleep(0.1)
            now = self._worked()
            if not all(self._is_answered(uri) for uri in self.documents):
                since = time.monotonic()
            # What a process takes to do nothing is less than a tick.
            if now - worked > 0.025 or self.state not in ("", "ready", "degraded"):
                worked, since = now, time.monotonic()
            typed = max((each.times[each.version] for each in self.documents.values()), default=0.0)
            if time.monotonic() - max(since, self._heard, typed + _LATEST - QUIET) > QUIET:
                return
            assert time.monotonic() < end, f"no rest: {self.state}, {self.log[-5:]}"

    def _is_answered(self, uri: str) -> bool:
        """Whether there was a word about the text that it has now. What is no file, nothing is said of."""
        version = self.documents[uri].version
        said = next((each for each in reversed(self.published) if each.uri == uri), None)
        return not uri.startswith("file:") or (said is not None and said.version == version)

    def agents(self) -> set[int]:
        return {child.pid for child in self._children()}

    def _children(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children()
        except psutil.NoSuchProcess:
            return []

    def _worked(self) -> float:
        """Seconds of processor time of the server's processes."""
        total = 0.0
        for child in self._children():
            with contextlib.suppress(psutil.NoSuchProcess):
                times = child.cpu_times()
                total += times.user + times.system
        return total

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        with contextlib.suppress(asyncio.IncompleteReadError):
            while True:
                head = await stream.readuntil(b"\r\n\r\n")
                length = next(int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:"))
                self._receive(json.loads(await stream.readexactly(length)))
        for future in self._pending.values():
            if not future.done():
                future.set_exception(Refused("the server has ended"))

    def _receive(self, message: Message) -> None:
        method: str | None = message.get("method")
        params: Any = message.get("params")
        if method is None:
            future = self._pending.pop(message["id"], None)
            if future is None:
                self.wrong.append(f"an answer to what was not asked, or was answered: {message}")
            elif future.done():
                pass  # nobody waited any more
            elif "error" in message:
                future.set_exception(Refused(json.dumps(message["error"])))
            else:
                future.set_result(message.get("result"))
            return
        self._heard = time.monotonic()
        if method == "textDocument/publishDiagnostics":
            document = self.documents.get(params["uri"])
            sent = document.version if document is not None else None
            self.published.append(
                Published(time.monotonic(), params["uri"], params.get("version"), sent, params["diagnostics"])
            )
        elif method == "workspace/diagnostic/refresh":
            self._pull(*self.documents)
        elif method == "triton-ls/status":
            self.state = params["state"]
        elif method == "client/registerCapability":
            self.registered.update(each["method"] for each in params["registrations"])
        elif method == "window/showMessage":
            self.told.append(params["message"])
        if "id" in message:
            asked = method == "workspace/configuration"
            self._send(
                {"id": message["id"], "result": [dict(self.settings) for _ in params["items"]] if asked else None}
            )

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            self.log.append(line.decode(errors="replace").rstrip())

    async def end(self) -> None:
        started = self._family()
        try:
            await self.ask("shutdown", None)
            self.notify("exit", None)
            await asyncio.wait_for(self._process.wait(), _END)
        except asyncio.TimeoutError:
            self._process.send_signal(signal.SIGABRT)  # faulthandler tells where it is
            await self._process.wait()
            await asyncio.wait([self._tasks[1]], timeout=2)
            self.wrong.append(f"the server does not end: {self.log[-60:]}")
        finally:
            if self._process.returncode is None:
                self._process.kill()
                await self._process.wait()
            for task in self._tasks:
                await asyncio.wait([task], timeout=2)
        _, alive = await asyncio.to_thread(psutil.wait_procs, started, 5)
        self.wrong += [f"a process that outlives the server: {process}" for process in alive]

    def _family(self) -> list[psutil.Process]:
        """All that the server has started."""
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []


@contextlib.asynccontextmanager
async def connected(
    folders: Sequence[Path], settings: Mapping[str, Any], cache: Path, pulls: bool = False
) -> AsyncGenerator[Client]:
    """A client of a server that has been initialized for the folders of a workspace."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{SOURCES / 'analysis'}{os.pathsep}{SOURCES / 'server'}",
        "XDG_CACHE_HOME": str(cache),
    }
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-X", "faulthandler", "-m", "triton_ls", "serve", "--log-level", "warning"),
        stdin=pipe, stdout=pipe, stderr=pipe, env=environment, limit=1 << 26,
    )  # fmt: skip
    client = Client(process, {"interpreter": INTERPRETER, **settings}, pulls)
    try:
        await client.ask(
            "initialize",
            {
                "processId": os.getpid(),
                "rootUri": folders[0].as_uri(),
                "workspaceFolders": [{"uri": folder.as_uri(), "name": folder.name} for folder in folders],
                "capabilities": {
                    **(PULLS if pulls else CAPABILITIES),
                    "general": {"positionEncodings": [COUNTED.get()]},
                },
                "initializationOptions": {"status": True},
            },
        )
        client.notify("initialized", {})
        yield client
    finally:
        await client.end()
