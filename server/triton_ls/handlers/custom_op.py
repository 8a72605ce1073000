"""``workspace/executeCommand``: ``triton-ls.createCustomOp`` (document's URI, qualified name) writes a torch custom op
around a kernel below it."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from triton_ls.agents.process import AgentError
from triton_ls.ir_document import PATIENCE
from triton_ls.server import TritonServer

COMMAND = "triton-ls.createCustomOp"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_create)


async def _create(ls: TritonServer, uri: str, qualname: str) -> dict[str, str]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    try:
        made = await ls.session.ask(file, "customOp", PATIENCE, qualname=qualname)
    except AgentError as error:
        raise JsonRpcException(str(error)) from error
    edits = [_inserted(one["line"], one["text"]) for one in made["insertions"]]
    await ls.workspace_apply_edit_async(
        types.ApplyWorkspaceEditParams(types.WorkspaceEdit(changes={uri: edits}), "Create torch custom op")
    )
    if ls.client.show_document:
        # Where the op is now: below the imports that were added, and after its blank lines.
        text = edits[-1].new_text
        blank = len(text) - len(text.lstrip("\n"))
        line = edits[-1].range.start.line + blank + sum(edit.new_text.count("\n") for edit in edits[:-1])
        place = types.Position(line, 0)
        params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=types.Range(place, place))
        await ls.window_show_document_async(params)
    return {"text": made["insertions"][-1]["text"]}


def _inserted(line: int, text: str) -> types.TextEdit:
    place = types.Position(line - 1, 0)
    return types.TextEdit(types.Range(place, place), text)
