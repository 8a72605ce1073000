"""The two processes of a run: one makes a launch, the other, which has torch and the device, executes it. Both are
killed when the time is over, when somebody cancels, and when this process ends; nothing of them is left behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import sys
import tempfile
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from kernel_analysis import run_wire
from kernel_analysis.run_wire import (
    DeviceWanted,
    Doing,
    Failed,
    Finished,
    Found,
    Order,
    PinAnswer,
    Plan,
    Planned,
    Refusal,
    RunResult,
    Script,
)
from kernel_analysis.typed import wrong
from triton_ls.agents.children import kill_group, living, starting
from triton_ls.agents.launch import (
    CannotStart,
    Environment,
    command,
    creation_flags,
    describe_exit,
    die_with_parent,
    environment_variables,
    guarded_variables,
)

T = TypeVar("T")
Answer = Mapping[str, Any]
"""A message that was held against what it should be."""

_LINE_LIMIT = 1 << 26
_VAGUE = re.compile(r"error encountered during parsing|PassManager::run failed")
_REASON = re.compile(r"\berror: (.+)")


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """``documents``: what the editor shows, by file. ``device``: None for the first GPU, else the interpreter.
    ``label``: which of several pinned launches; None for the first."""

    file: str
    kernel: str
    interpreter: str
    roots: tuple[str, ...]
    documents: Mapping[str, str] = field(default_factory=dict[str, str])
    device: str | None = None
    label: str | None = None
    timeout: float = 120.0


class RunFailed(Exception):
    """The kernel was not run to its end; the message is for the user. ``place``: a file and line that it is about;
    ``missing``: the parameters that a pragma would have to give; ``smaller``: what to ask the planner for, if a smaller
    launch can be made."""

    def __init__(
        self, kind: str, message: str, place: tuple[str, int] | None = None, missing: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.kind, self.place, self.missing = kind, place, missing
        self.smaller: int | None = None

    def to_json(self) -> dict[str, Any]:
        place = None if self.place is None else {"file": self.place[0], "line": self.place[1]}
        return {"error": {"kind": self.kind, "message": str(self), "place": place, "missing": list(self.missing)}}


def run_file() -> str:
    """The entry of the one that executes, found without importing it."""
    from triton_ls.agents.launch import agent_file

    return str(Path(agent_file()).parent.parent / "launch" / "__main__.py")


async def run(question: RunQuestion, tell: Callable[[str], None]) -> RunResult:
    """The result as JSON. Raises ``RunFailed``; when cancelled, the processes are gone."""
    with _folder() as folder:
        return await _limited(question, tell, lambda told: _run_that_fits(question, folder, told))


async def script(question: RunQuestion) -> str:
    """The launch as a stand-alone Python file. Runs nothing of the user's. Raises ``RunFailed``."""
    planned = await _limited(question, _silent, lambda told: _only_planned(question, "script", told))
    return cast("Script", planned)["script"]


async def pin(question: RunQuestion) -> tuple[int, str]:
    """The line above which to write the comment that pins the launch, and its text. Raises ``RunFailed``."""
    planned = await _limited(question, _silent, lambda told: _only_planned(question, "pin", told))
    line, text = cast("PinAnswer", planned)["pin"]
    return int(line), str(text)


def _silent(text: str) -> None:
    """Nobody waits for so short a thing."""


@contextlib.contextmanager
def _folder() -> Generator[str, None, None]:
    folder = tempfile.mkdtemp(prefix="triton-ls-run-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def _limited(
    question: RunQuestion, tell: Callable[[str], None], work: Callable[[Callable[[str], None]], Awaitable[T]]
) -> T:
    progress = ["starting"]

    def told(text: str) -> None:
        progress[0] = text
        tell(text)

    try:
        return await asyncio.wait_for(work(told), question.timeout)
    except asyncio.TimeoutError:
        raise RunFailed(
            "timeout",
            f"The run did not end within {question.timeout:g} s and was ended while {progress[0]}. A kernel that waits "
            "for a lock or for another program may never end; the limit is the setting run-timeout (--time-limit).",
        ) from None


async def _only_planned(question: RunQuestion, wanted: str, tell: Callable[[str], None]) -> Answer:
    async with _processes(question) as (worker, planner):
        return await _planned(question, worker, planner, wanted, tell)


async def _run_that_fits(question: RunQuestion, folder: str, tell: Callable[[str], None]) -> RunResult:
    """A launch whose blocks are too large for the device gives way to smaller ones, where the sizes are not given."""
    smaller = 0
    first: RunFailed | None = None
    while True:
        try:
            return await _run(question, folder, tell, smaller)
        except RunFailed as failed:
            if failed.kind != "resources" or failed.smaller is None:
                raise first or failed from None
            first, smaller = first or failed, failed.smaller


async def _run(question: RunQuestion, folder: str, tell: Callable[[str], None], smaller: int) -> RunResult:
    async with _processes(question) as (worker, planner):
        planned = cast("Planned", await _planned(question, worker, planner, "launch", tell, smaller))
        order: Order = {"launch": planned["launch"], "folder": folder, "seconds": question.timeout}
        worker.send(order)
        while True:
            message = await worker.receive()
            if message["event"] == "progress":
                tell(cast("Doing", message)["message"])
            elif message["event"] == "error":
                error = cast("Failed", message)
                said = error["message"]
                if error["kind"] == "compile" and _VAGUE.search(said):
                    said = _VAGUE.sub(await worker.compiler_said(), said)
                places = planned["launch"]["places"]
                failed = RunFailed(error["kind"], said, _mapped(places, error.get("places", [])))
                failed.smaller = planned["smaller"]
                raise failed
            else:
                result = cast("Finished", message)["result"]
                result["pragma"] = planned["launch"]["pragma"]
                return result


@contextlib.asynccontextmanager
async def _processes(question: RunQuestion) -> AsyncGenerator[tuple[_Process, _Process], None]:
    """Both, started at the same time; gone afterwards."""
    # The one that plans looks at the user's text, as an agent does: it is started as one.
    looking = Environment(question.interpreter, "", None, 0, question.roots)
    try:
        planning = command(looking, "plan")
    except CannotStart as error:
        raise RunFailed("no-interpreter", str(error)) from error
    worker = await _Process.start([planning[0], run_file()], "work", environment_variables())
    try:
        planner = await _Process.start(planning, "plan", guarded_variables(looking))
        try:
            yield worker, planner
        finally:
            await asyncio.shield(planner.close())
    finally:
        await asyncio.shield(worker.close())


async def _planned(
    question: RunQuestion,
    worker: _Process,
    planner: _Process,
    wanted: str,
    tell: Callable[[str], None],
    smaller: int = 0,
) -> Answer:
    """What the planner answers for the device that the worker found."""
    tell("looking for a device")
    device: DeviceWanted = {"device": question.device}
    worker.send(device)
    message = await worker.receive()
    if message["event"] == "error":
        error = cast("Failed", message)
        raise RunFailed(error["kind"], error["message"])
    found = cast("Found", message)
    tell("making a launch")
    plan: Plan = {
        "file": question.file, "kernel": question.kernel, "roots": list(question.roots), "wanted": wanted,
        "documents": dict(question.documents), "device": found["device"], "processors": found["processors"],
        "label": question.label, "smaller": smaller,
    }  # fmt: skip
    planner.send(plan, last=True)
    answer = await planner.receive()
    if "refused" in answer:
        refusal = cast("Refusal", answer)
        raise RunFailed(refusal["kind"], refusal["refused"], _place(refusal["place"]), tuple(refusal["missing"]))
    return answer


def _place(given: Any) -> tuple[str, int] | None:
    return (str(given[0]), int(given[1])) if given else None


def _mapped(places: list[list[Any]], lines: list[int]) -> tuple[str, int] | None:
    """The user's line for the innermost line of the executed module that is the user's."""
    for line in reversed(lines):
        for first, count, file, start in places:
            if first <= line < first + count:
                return str(file), int(start) + line - int(first)
    return None


class _Process:
    """One of the two. Speaks lines of JSON; what it logs is kept for the diagnosis of its death."""

    def __init__(self, process: asyncio.subprocess.Process, what: str) -> None:
        self._process, self._what = process, what
        self._log: deque[str] = deque(maxlen=4000)
        self._reader = asyncio.create_task(self._read_log())

    @classmethod
    async def start(cls, line: list[str], what: str, variables: dict[str, str]) -> _Process:
        try:
            with starting():
                process = await asyncio.create_subprocess_exec(
                    *line,
                    stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
                    limit=_LINE_LIMIT, env=variables, start_new_session=sys.platform != "win32",
                    creationflags=creation_flags(), preexec_fn=die_with_parent(),
                )  # fmt: skip
        except (OSError, CannotStart) as error:
            raise RunFailed("no-interpreter", f"{line[0]} cannot be started: {error}") from error
        living.add(process.pid)
        return cls(process, what)

    def send(self, message: Mapping[str, Any], last: bool = False) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        if last:
            self._process.stdin.write_eof()

    async def receive(self) -> Answer:
        """The next message; ``RunFailed`` when the process has died, or says what is none."""
        assert self._process.stdout is not None
        with contextlib.suppress(ConnectionError):
            line = await self._process.stdout.readline()
            if line:
                return self._understood(line)
        code = await self._process.wait()
        await asyncio.wait([self._reader], timeout=1)
        raise RunFailed("died", self._death(code))

    def _understood(self, line: bytes) -> Answer:
        try:
            message: Any = json.loads(line)
            if self._what == "plan":
                shape = next(shape for key, shape in run_wire.ANSWERS.items() if key in message)
            else:
                shape = run_wire.EVENTS[message["event"]]
        except (ValueError, TypeError, LookupError, StopIteration, RecursionError) as error:
            raise RunFailed("died", f"{self._who} said something that is no message: {line[:100]!r}") from error
        if (fault := wrong(shape, message, "message")) is not None:
            raise RunFailed("died", f"{self._who} said something that is no answer: {fault}.")
        return message

    @property
    def _who(self) -> str:
        return f"The process that {'makes the launch' if self._what == 'plan' else 'ran the kernel'}"

    async def compiler_said(self) -> str:
        """What Triton's compiler has printed of its first error; the process ends by itself after one."""
        await asyncio.wait([self._reader], timeout=2)
        found = (_REASON.search(line) for line in self._log)
        return next((one[1] for one in found if one is not None), "its compiler gave no reason")

    def _death(self, code: int) -> str:
        how = describe_exit(code)
        last = next((line for line in reversed(self._log) if line.strip()), "")
        said = f" It said: {last}" if last else ""
        if code == -9:
            said = " The system may have ended it for want of memory."
        return f"{self._who} ended with {how}.{said}"

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        with contextlib.suppress(ConnectionError):
            async for line in self._process.stderr:
                self._log.append(line.decode(errors="replace").rstrip())

    async def close(self) -> None:
        """Ends the process and all that it started."""
        if self._process.returncode is None:
            kill_group(self._process.pid)
        await self._process.wait()
        living.discard(self._process.pid)
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
