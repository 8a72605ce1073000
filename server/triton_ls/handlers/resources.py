"""``workspace/executeCommand``: ``triton-ls.resources`` (document's URI, qualified name) compiles a kernel to the end
and says what it takes of the GPU; the hover of its name says it from then on."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls import describe
from triton_ls.agents.process import AgentError
from triton_ls.ir_document import PATIENCE
from triton_ls.markdown import message as as_message
from triton_ls.markdown import plain
from triton_ls.server import TritonServer

COMMAND = "triton-ls.resources"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_resources)


async def _resources(ls: TritonServer, uri: str, qualname: str) -> dict[str, Any]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    try:
        found = await ls.session.find_resources(file, qualname, PATIENCE)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    lines = plain(describe.resources(found)).split("\n")
    message = f"{qualname}: {'; '.join(line.removeprefix('- ') for line in lines)}"
    ls.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=as_message(message)))
    return {"target": found.about.target, **found.stage.options, **found.stage.resources, "message": message}
