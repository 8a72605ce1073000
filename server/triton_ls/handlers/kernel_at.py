"""``workspace/executeCommand``: ``triton-ls.kernelAt`` (document's URI, line, character) -> the jit function around
the place, for commands that are called without one."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert, cursor
from triton_ls.editor import Editor
from triton_ls.positions import from_position
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.kernelAt"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_kernel_at)


async def _kernel_at(session: Session, editor: Editor, uri: str, line: int, character: int) -> dict[str, str] | None:
    file = convert.file_of(uri)
    facts = None if file is None else await session.first_view(file)
    if facts is None:
        return None
    place = from_position(facts.lines, types.Position(line, character), editor.client.encoding)
    entry = cursor.innermost(facts.kernels, *place)
    return None if entry is None or entry.stale else {"qualname": entry.qualname, "role": entry.role}
