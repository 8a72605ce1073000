"""``workspace/executeCommand``: ``triton-ls.run`` (document's URI, qualified name, label) launches a kernel in
processes of its own and says what it did; ``triton-ls.runScript`` gives the launch as a stand-alone script, and
``triton-ls.pinLaunch`` writes it into a comment above the kernel; ``triton-ls.cancelRuns`` ends what runs."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls import convert, edits
from triton_ls.runs import report
from triton_ls.runs.supervisor import Question, RunFailed, pin, run, script
from triton_ls.server import TritonServer

COMMAND = "triton-ls.run"
SCRIPT = "triton-ls.runScript"
PIN = "triton-ls.pinLaunch"
CANCEL = "triton-ls.cancelRuns"

Tell = Callable[[str], None]


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_run)
    server.command(SCRIPT)(_script)
    server.command(PIN)(_pin)
    server.command(CANCEL)(_cancel)


def _cancel(ls: TritonServer) -> None:
    """End what runs, for clients whose progress has no button."""
    for cancel in list(ls.cancel_runs):
        cancel()


async def _run(ls: TritonServer, uri: str, qualname: str, *label: str) -> dict[str, Any]:
    # pygls knows no arguments with defaults.
    if not ls.client.trusted:
        raise JsonRpcException(
            "Kernels can be run in trusted workspaces only: running one executes the code of the workspace."
        )
    file, question = _question(ls, uri, qualname, label[0] if label else None)
    entry = _entry(ls, file, qualname)
    async with progress(ls, f"Running {qualname}") as tell:
        result = await _answered(run(question, tell), file)
    markdown = report.markdown(result)
    if entry is not None:
        ls.note_run(file, entry, report.summary(result))
    if not ls.client.virtual_documents:  # such a client has a place of its own for it
        ls.show(convert.uri_of(ls.temporary_file(f"{qualname}-run.md", markdown)))
    return {"markdown": markdown, "result": result}


async def _script(ls: TritonServer, uri: str, qualname: str, *label: str) -> dict[str, str]:
    file, question = _question(ls, uri, qualname, label[0] if label else None)
    async with progress(ls, f"Planning a launch of {qualname}"):
        text = await _answered(script(question), file)
    shown = convert.uri_of(ls.temporary_file(f"run_{qualname.replace('.', '_')}.py", text))
    ls.show(shown)
    return {"uri": shown, "text": text}


async def _pin(ls: TritonServer, uri: str, qualname: str) -> dict[str, str]:
    file, question = _question(ls, uri, qualname, None)
    asked = ls.session.text(file)
    if asked is None:
        raise JsonRpcInvalidParams(f"{uri} is not open.")
    async with progress(ls, f"Planning a launch of {qualname}"):
        line, text = await _answered(pin(question), file)
    await edits.insert(ls, uri, asked, [(line, text + "\n")], "Pin launch parameters")
    return {"text": text}


def _question(ls: TritonServer, uri: str, qualname: str, label: str | None) -> tuple[str, Question]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    settings = ls.session.settings(file)
    roots = ls.session.roots or (str(Path(file).parent),)
    return file, Question(
        file, qualname, settings.interpreter, roots, ls.session.texts, settings.device, label, settings.run_timeout
    )


def _entry(ls: TritonServer, file: str, qualname: str) -> Any:
    facts = ls.session.current(file)
    return next((entry for entry in facts.kernels if entry.qualname == qualname), None) if facts is not None else None


async def _answered(work: Any, file: str) -> Any:
    try:
        return await work
    except RunFailed as failed:
        place = ""
        if failed.place is not None:
            where, line = failed.place
            place = f"line {line}: " if where == file else f"{where}:{line}: "
        raise JsonRpcException(place + str(failed)) from failed


@contextlib.asynccontextmanager
async def progress(ls: TritonServer, title: str, what: str = "The run") -> AsyncGenerator[Tell, None]:
    """A progress bar with which the body can be cancelled."""
    task = asyncio.current_task()
    assert task is not None
    cancelled = False

    def cancel() -> None:
        nonlocal cancelled
        cancelled = True
        task.cancel()

    ls.cancel_runs.add(cancel)
    try:
        async with _bar(ls, title, cancel) as tell:
            yield tell
    except asyncio.CancelledError:
        if cancelled:
            raise JsonRpcException(f"{what} was cancelled; its processes are gone.") from None
        raise
    finally:
        ls.cancel_runs.discard(cancel)


@contextlib.asynccontextmanager
async def _bar(ls: TritonServer, title: str, cancel: Callable[[], None]) -> AsyncGenerator[Tell, None]:
    if not ls.client.progress:
        yield _silent
        return
    bar, token = ls.work_done_progress, str(uuid.uuid4())
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
