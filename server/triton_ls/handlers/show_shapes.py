"""``workspace/executeCommand``: ``triton-ls.shapes`` (document's URI, qualified name) says of which configs and
launches the shapes can be shown, ``triton-ls.showShapes`` (the same, and one of them or null) shows those alone; where
none is named, it asks which."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from triton_ls.agents.agent_process import AgentError
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session

CHOICES = "triton-ls.shapes"
COMMAND = "triton-ls.showShapes"
_ALL = "All of them"
_MOST_ASKED = 12


def register(server: TritonServer) -> None:
    server.action(CHOICES)(_choices)
    server.action(COMMAND)(_show)


async def _choices(session: Session, editor: Editor, uri: str, qualname: str) -> dict[str, Any]:
    file = editor.file(uri)
    try:
        found = await session.shapes.choices(file, qualname)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    return {"choices": found, "chosen": session.shapes.choice(file, qualname)}


async def _show(session: Session, editor: Editor, uri: str, qualname: str, *choice: str | None) -> dict[str, Any]:
    file = editor.file(uri)
    try:
        wanted = choice[0] if choice else await _asked(session, editor, file, qualname)
        await session.shapes.choose(file, qualname, wanted)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    editor.ask_for_hints()
    return {"chosen": wanted}


async def _asked(session: Session, editor: Editor, file: str, qualname: str) -> str | None:
    choices = await session.shapes.choices(file, qualname)
    if not choices:
        raise JsonRpcException(f"All configs and launches of `{qualname}` in sight pass the same constants.")
    message = f"For which config or launch are the shapes of {qualname} to be shown?"
    answer = await editor.choose(message, (*choices[:_MOST_ASKED], _ALL))
    if answer is None:
        raise JsonRpcException("Nothing was chosen.")
    return None if answer == _ALL else answer
