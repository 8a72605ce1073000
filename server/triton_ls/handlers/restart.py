"""``workspace/executeCommand``: ``triton-ls.restart`` starts the analysis anew, after a change to the interpreter's
packages."""

from __future__ import annotations

from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.restart"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_restart)


async def _restart(session: Session, editor: Editor) -> None:
    await session.configure(editor.roots(), editor.client.configuration)
    session.restart()
