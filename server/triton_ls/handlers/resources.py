"""``workspace/executeCommand``: ``triton-ls.resources`` (document's URI, qualified name) compiles a kernel to the end
and says what it takes of the GPU; the hover of its name says it from then on."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from triton_ls import describe
from triton_ls.agents.agent_process import AgentError
from triton_ls.editor import Editor
from triton_ls.ir_document import PATIENCE
from triton_ls.markdown import plain
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.resources"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_resources)


async def _resources(session: Session, editor: Editor, uri: str, qualname: str) -> dict[str, Any]:
    try:
        found = await session.resources.find(editor.file(uri), qualname, PATIENCE)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    lines = plain(describe.resources(found)).split("\n")
    message = f"{qualname}: {'; '.join(line.removeprefix('- ') for line in lines)}"
    editor.say(message)
    return {"target": found.about.target, **found.stage.options, **found.stage.resources, "message": message}
