"""One agent process: newline-delimited JSON-RPC over its standard streams, its log, its end.

May not decide what to run next or whether to start another.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from kernel_analysis import wire
from triton_ls import reports
from triton_ls.agents.children import is_stopped, kill_group, living, starting
from triton_ls.agents.launch import (
    CannotStart,
    Environment,
    command,
    creation_flags,
    die_with_parent,
    guarded_variables,
    start_failure,
    started_in,
)
from triton_ls.agents.store import Store, store

logger = logging.getLogger(__name__)

START_TIMEOUT = 60.0
_LINE_LIMIT = 1 << 28
_OF_ITSELF = {wire.METHODS[kind] for kind in (wire.Keep, wire.Protection, wire.Outdated)}
"""What an agent says whichever request runs."""
_GRACE = 0.25
"""Seconds that an agent which made no sense may take to come to the end of its request."""
_LOOK = 1.0


class AgentEnded(Exception):
    """The process went away while it was asked something. ``returncode`` as in ``subprocess``."""

    def __init__(self, returncode: int) -> None:
        super().__init__(f"agent ended: {returncode}")
        self.returncode = returncode


class AgentError(Exception):
    """The agent refused a request; the message is a sentence for the user."""


def ignore(method: str, params: dict[str, Any]) -> None:
    """For notifications that nobody waits for."""


class Agent:
    """A started process. ``notified`` gets each notification of the request that runs; ``outdated`` the files that it
    would now say something else about; ``ended`` is called once it is gone."""

    def __init__(self, process: asyncio.subprocess.Process, store: Store | None = None) -> None:
        self._process = process
        self._store = store
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._ids = 0
        self._documents: dict[str, str] = {}
        self.notified: Callable[[str, dict[str, Any]], None] = ignore
        self.outdated: Callable[[list[str]], None] = lambda files: None
        self.ended: Callable[[], None] = lambda: None
        self.log_tail: deque[str] = deque(maxlen=20)
        self.identity = wire.Identity("", "")
        self.protection: asyncio.Future[wire.Protection] = asyncio.get_running_loop().create_future()
        self.analyzed: set[str] = set()
        self.fault: str | None = None
        """Why it was killed, where that was not because of its time."""
        self.killed = False
        """By us: nothing more can be asked of it."""
        self._spoiled: Exception | None = None
        self._streams = [asyncio.create_task(self._read()), asyncio.create_task(self._read_log())]
        self._watch = asyncio.create_task(self._look_after())

    @classmethod
    async def start(cls, environment: Environment, stages_in: str | None = None) -> Agent:
        """An agent that has answered ``initialize``, or ``CannotStart``. ``stages_in``: the process for the compiler's
        later stages instead, which may write in that directory."""
        agent = await cls.spawn(environment, stages_in)
        return await agent.initialized(environment, stages_in)

    @classmethod
    async def spawn(cls, environment: Environment, stages_in: str | None = None) -> Agent:
        """A process that nothing was said to, or ``CannotStart``."""
        line = command(environment, "analysis" if stages_in is None else "stages")
        variables = guarded_variables(environment)
        if stages_in is not None:
            variables["TMPDIR"] = stages_in
        try:
            with starting():
                process = await asyncio.create_subprocess_exec(
                    *line,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    limit=_LINE_LIMIT,
                    env=variables,
                    cwd=started_in(environment),
                    start_new_session=sys.platform != "win32",
                    creationflags=creation_flags(),
                    preexec_fn=die_with_parent(),
                )
        except OSError as error:
            raise CannotStart(
                f"{line[0]} cannot be started: {error.strerror or error}. Is it a Python interpreter?"
            ) from error
        living.add(process.pid)
        kept = store(environment.cache_file) if environment.cache_file is not None else None
        agent = cls(process, kept)
        if kept is not None:
            kept.open()
        return agent

    async def initialized(self, environment: Environment, stages_in: str | None = None) -> Agent:
        """Itself, once it has answered ``initialize``; ``CannotStart``, and it is gone, when it does not."""
        interpreter = sys.executable if environment.limited else environment.interpreter
        settings: wire.SettingsSent = {
            "target": environment.target,
            "cache": self._store is not None,
            "memory_limit_mb": environment.memory_limit_mb,
            "patient": environment.patient,
            "readable": list(environment.readable),
            "directory": stages_in,
        }
        well = False
        try:
            initialize: wire.Initialize = {"roots": list(environment.roots), "settings": settings}
            answer = self.request("initialize", initialize)
            self.identity = reports.identity(await asyncio.wait_for(answer, START_TIMEOUT))
            well = True
        except AgentEnded as ended:
            raise start_failure(interpreter, list(self.log_tail), ended.returncode) from ended
        except AgentError as error:
            raise CannotStart(f"The analysis could not be started with {interpreter}: {error}") from error
        except asyncio.TimeoutError as error:
            raise start_failure(interpreter, list(self.log_tail), None) from error
        finally:
            if not well:  # whatever went wrong, nothing of it stays
                await self.close()
        return self

    @property
    def alive(self) -> bool:
        """Whether it can be asked something. One that was killed may still have said something before, and its end is
        heard of later."""
        return self._process.returncode is None and not self.killed

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def out_of_memory(self) -> bool:
        """It said so before it ended."""
        return any("bad_alloc" in line or "MemoryError" in line for line in self.log_tail)

    def request(self, method: str, params: Mapping[str, Any]) -> Coroutine[Any, Any, Any]:
        """Asks at once. The result, or ``AgentError``, or ``AgentEnded``; what went wrong in reading what came before
        the result."""
        self._spoiled = None if self._ids else self._spoiled  # who speaks before it is asked makes no sense either
        self._ids += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[self._ids] = future
        self._send({"id": self._ids, "method": method, "params": params})
        if self._spoiled is not None:
            self.kill()
        return self._answer(future)

    async def _answer(self, future: asyncio.Future[Any]) -> Any:
        if self._streams[0].done():
            raise AgentEnded(await self._process.wait())
        return await future

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def show_documents(self, texts: Mapping[str, str]) -> None:
        """Tell the agent what the editor shows now, where that differs from what it was told before."""
        for file in [file for file in self._documents if file not in texts]:
            del self._documents[file]
            gone: wire.Document = {"file": file, "text": None}
            self.notify("document", gone)
        for file, text in texts.items():
            if self._documents.get(file) is not text:
                self._documents[file] = text
                shown: wire.Document = {"file": file, "text": text}
                self.notify("document", shown)

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        if self.alive:
            self.killed = True
            kill_group(self._process.pid)

    async def close(self) -> None:
        self.kill()
        await self._process.wait()
        tasks = [*self._streams, self._watch]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _send(self, message: dict[str, Any]) -> None:
        # Never awaited: an agent that compiles does not read, and what it has not read is lost with it.
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            with contextlib.suppress(ConnectionError):
                async for line in self._process.stdout:
                    self._receive(line)
        except ValueError:  # asyncio's word for a line above the limit
            self.fault = f"the analysis wrote a line of more than {_LINE_LIMIT >> 20} MB"
        finally:
            await self._end()

    async def _end(self) -> None:
        """No more messages can come: end the process, then fail whoever waits for one."""
        self.kill()
        returncode = await self._process.wait()
        living.discard(self._process.pid)
        self._watch.cancel()
        await asyncio.wait(self._streams[1:], timeout=1)  # the last words, for the diagnosis
        for future in self._pending.values():
            if not future.done():
                future.set_exception(self._spoiled or AgentEnded(returncode))
        self._pending.clear()
        self.ended()

    async def _look_after(self) -> None:
        """A process that somebody has stopped answers no more than a dead one, and holds up whoever waits for it."""
        while True:
            await asyncio.sleep(_LOOK)
            if is_stopped(self._process.pid):
                self.fault = "the analysis process was stopped from outside"
                self.kill()

    def _receive(self, line: bytes) -> None:
        """Whatever goes wrong with a message costs the request that it belongs to, never the reading of the next."""
        try:
            self._handle(reports.message(line))
        except Exception as error:  # noqa: BLE001 - it is raised to whoever waits for the answer
            self._spoil(error)

    def _handle(self, message: reports.Message) -> None:
        if message.question is not None:
            self._recall(message.question, reports.recall(message.params).keys)
        elif message.method in _OF_ITSELF:
            self._heard(reports.said(message.method, message.params))
        elif message.method is not None:
            if self._spoiled is None:
                self.notified(message.method, message.params)
        elif (future := self._pending.pop(message.id, None)) is not None and not future.done():
            if self._spoiled is not None:
                future.set_exception(self._spoiled)
            elif message.error is not None:
                future.set_exception(AgentError(message.error))
            else:
                future.set_result(message.result)

    def _heard(self, said: wire.Said | None) -> None:
        if isinstance(said, wire.Keep) and self._store is not None:
            self._store.keep(said.entries)
        elif isinstance(said, wire.Protection):
            self._sealed(said)
        elif isinstance(said, wire.Outdated):
            self.outdated(said.files)

    def _spoil(self, error: Exception) -> None:
        """The running request comes to nothing; an agent that is well ends it at once."""
        logger.warning("a message of agent %d: %s", self._process.pid, error, exc_info=error)
        if (self._pending or not self._ids) and self._spoiled is None:
            self._spoiled = error
            waiting = set(self._pending)
            asyncio.get_running_loop().call_later(_GRACE, self._kill_if_waiting, waiting)

    def _kill_if_waiting(self, ids: set[int]) -> None:
        if ids & self._pending.keys():
            self.kill()

    def _sealed(self, protection: wire.Protection) -> None:
        if not self.protection.done():
            self.protection.set_result(protection)
            logger.info("agent %d is sealed: %s", self._process.pid, protection.text)

    def _recall(self, question: str, keys: list[str]) -> None:
        """The agent waits for nothing else meanwhile."""
        loop = asyncio.get_running_loop()

        def answer(result: dict[str, Any]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and the agent with it
                loop.call_soon_threadsafe(self._send, {"id": question, "result": result})

        if self._store is None:
            self._send({"id": question, "result": {"entries": {}}})
        else:
            self._store.recall(keys, answer)

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(ConnectionError):
            async for line in self._process.stderr:
                text = line.decode(errors="replace").rstrip()
                self.log_tail.append(text)
                logger.info("agent %d: %s", self._process.pid, text)


Start = Callable[[Environment], Awaitable[Agent]]
"""How an agent comes about: it has answered ``initialize``, or ``CannotStart``."""
