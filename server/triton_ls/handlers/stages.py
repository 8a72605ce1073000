"""``workspace/executeCommand``: ``triton-ls.stages`` (document's URI) says as which stages of the compiler its kernels
can be shown."""

from __future__ import annotations

from kernel_analysis import report
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.command("triton-ls.stages")(_stages)


async def _stages(ls: TritonServer, uri: str) -> list[str]:
    await ls.session.ready()
    return list(report.stages(ls.session.settings(ls.file_of(uri) or "").target))
