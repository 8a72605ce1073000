"""What the handlers that make a launch share: the question for its processes, their refusal as an answer, and a
progress bar with which it can be cancelled. May not start a process."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls.runs.supervisor import Question, RunFailed
from triton_ls.server import TritonServer

Tell = Callable[[str], None]


def question_of(ls: TritonServer, uri: str, qualname: str, label: str | None) -> tuple[str, Question]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    settings = ls.session.settings(file)
    roots = ls.session.roots or (str(Path(file).parent),)
    return file, Question(
        file, qualname, settings.interpreter, roots, ls.session.texts, settings.device, label, settings.run_timeout
    )


async def answered(work: Any, file: str) -> Any:
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
