"""``workspace/executeCommand``: ``triton-ls.targets`` (document's URI) says for which GPU kernels are compiled, and for
which others they can be."""

from __future__ import annotations

from typing import Any

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session

KNOWN = (
    "cuda:80", "cuda:86", "cuda:89", "cuda:90", "cuda:100", "cuda:120",
    "hip:gfx90a", "hip:gfx942", "hip:gfx950", "hip:gfx1100", "hip:gfx1201", "hip:gfx1250",
)  # fmt: skip


def register(server: TritonServer) -> None:
    server.action("triton-ls.targets")(_targets)


async def _targets(session: Session, editor: Editor, uri: str) -> dict[str, Any]:
    await session.ready()
    current = session.settings(convert.file_of(uri) or "").target
    return {"current": current, "known": list(dict.fromkeys([current, *KNOWN]))}
