"""``triton-ls.createCustomOp``: the action is offered, the edit is applied, a refusal is a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from server.connection import Connection, connect

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def fill(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, 1.0, mask=offsets < n)


@triton.jit
def look(x_ptr):
    tl.device_print("x", tl.load(x_ptr))
"""


def _applied(connection: Connection) -> list[types.ApplyWorkspaceEditParams]:
    """The edits that the server asks for, which the client says it has made."""
    edits: list[types.ApplyWorkspaceEditParams] = []

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    connection.client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
    return edits


async def _create(connection: Connection, uri: str, qualname: str) -> Any:
    params = types.ExecuteCommandParams(command="triton-ls.createCustomOp", arguments=[uri, qualname])
    return await connection.client.workspace_execute_command_async(params)


async def test_the_op_is_offered_and_written(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        edits = _applied(connection)
        uri = connection.open("kernels.py", KERNELS)
        await connection.until_shown(uri, 6, "mutated-parameter")
        place = types.Range(types.Position(5, 5), types.Position(5, 5))
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, types.CodeActionContext([]))
        actions = await connection.client.text_document_code_action_async(params) or []
        (found,) = [action for action in actions if action.title == "Create torch custom op"]
        assert isinstance(found, types.Command)
        assert [*(found.arguments or [])] == [uri, "fill"]
        await _create(connection, uri, "fill")
        (document,) = edits[0].edit.document_changes or []
        assert isinstance(document, types.TextDocumentEdit)
        assert document.text_document.version == 1
        imports, op = document.edits
        assert isinstance(imports, types.TextEdit)
        assert isinstance(op, types.TextEdit)
        assert (imports.range.start.line, imports.new_text) == (
            2,
            "import torch\nfrom torch.library import triton_op, wrap_triton\n",
        )
        assert op.range.start == op.range.end == types.Position(8, 0)
        assert '@triton_op("kernels::fill_op_", mutates_args={"out_ptr"})' in op.new_text


async def test_a_refusal_says_why(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        edits = _applied(connection)
        uri = connection.open("kernels.py", KERNELS)
        with pytest.raises(JsonRpcException, match=r"No custom op can be written for `look`\. It writes no tensor\."):
            await _create(connection, uri, "look")
        assert edits == []
