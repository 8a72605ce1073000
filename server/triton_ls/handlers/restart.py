"""``workspace/executeCommand``: ``triton-ls.restart`` starts the analysis anew, after a change to the interpreter's
packages."""

from __future__ import annotations

from triton_ls.server import TritonServer

COMMAND = "triton-ls.restart"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_restart)


async def _restart(ls: TritonServer) -> None:
    await ls.configure()
    ls.session.restart()
