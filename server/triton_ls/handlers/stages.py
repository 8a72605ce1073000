"""``workspace/executeCommand``: ``triton-ls.stages`` (document's URI) says as which stages of the compiler its kernels
can be shown."""

from __future__ import annotations

from kernel_analysis import report
from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.action("triton-ls.stages")(_stages)


async def _stages(session: Session, editor: Editor, uri: str) -> list[str]:
    await session.ready()
    return list(report.stages(session.settings(convert.file_of(uri) or "").target))
