"""``workspace/executeCommand``: ``triton-ls.cancelRuns`` ends what runs, for clients whose progress has no button."""

from __future__ import annotations

from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.action("triton-ls.cancelRuns")(_cancel)


def _cancel(session: Session, editor: Editor) -> None:
    editor.cancel()
