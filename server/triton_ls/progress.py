"""A progress bar in the client when work takes longer than a moment. May not influence the work."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Callable, Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

MOMENT = 1.0
_STEP = 0.5


class Progress:
    """``outstanding()``: the files that are not done."""

    def __init__(self, server: LanguageServer, outstanding: Callable[[], Sequence[str]]) -> None:
        self._server, self._outstanding = server, outstanding
        self._task: asyncio.Task[None] | None = None

    def queued(self) -> None:
        """There is work now, if there was none before."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._follow())

    def close(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _follow(self) -> None:
        await asyncio.sleep(MOMENT)
        if not self._outstanding():
            return
        bar, token = self._server.work_done_progress, str(uuid.uuid4())
        try:
            await bar.create_async(token)  # pyright: ignore[reportUnknownMemberType] (pygls: Future of anything)
        except JsonRpcException:
            return  # the client wants no progress now
        bar.begin(token, types.WorkDoneProgressBegin(title="Triton kernels", cancellable=False))
        total = 0
        while files := self._outstanding():
            total = max(total, len(files))
            message = f"{os.path.basename(files[0])} ({total - len(files) + 1} of {total} files)"
            bar.report(token, types.WorkDoneProgressReport(message=message))
            await asyncio.sleep(_STEP)
        bar.end(token, types.WorkDoneProgressEnd())
