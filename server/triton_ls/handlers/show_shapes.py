"""``workspace/executeCommand``: ``triton-ls.shapes`` (document's URI, qualified name) says of which configs and
launches the shapes can be shown, ``triton-ls.showShapes`` (the same, and one of them or null) shows those alone; where
none is named, it asks which."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls.agents.process import AgentError
from triton_ls.server import TritonServer

CHOICES = "triton-ls.shapes"
COMMAND = "triton-ls.showShapes"
_ALL = "All of them"
_MOST_ASKED = 12


def register(server: TritonServer) -> None:
    server.command(CHOICES)(_choices)
    server.command(COMMAND)(_show)


async def _choices(ls: TritonServer, uri: str, qualname: str) -> dict[str, Any]:
    file = _file(ls, uri)
    try:
        found = await ls.session.shapes.choices(file, qualname)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    return {"choices": found, "chosen": ls.session.shapes.choice(file, qualname)}


async def _show(ls: TritonServer, uri: str, qualname: str, *choice: str | None) -> dict[str, Any]:
    file = _file(ls, uri)
    try:
        wanted = choice[0] if choice else await _asked(ls, file, qualname)
        await ls.session.shapes.choose(file, qualname, wanted)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    ls.hints_changed()
    return {"chosen": wanted}


async def _asked(ls: TritonServer, file: str, qualname: str) -> str | None:
    choices = await ls.session.shapes.choices(file, qualname)
    if not choices:
        raise JsonRpcException(f"All configs and launches of `{qualname}` in sight pass the same constants.")
    message = f"For which config or launch are the shapes of {qualname} to be shown?"
    actions = [types.MessageActionItem(title) for title in (*choices[:_MOST_ASKED], _ALL)]
    answer = await ls.window_show_message_request_async(
        types.ShowMessageRequestParams(types.MessageType.Info, message, actions)
    )
    if answer is None:
        raise JsonRpcException("Nothing was chosen.")
    return None if answer.title == _ALL else answer.title


def _file(ls: TritonServer, uri: str) -> str:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    return file
