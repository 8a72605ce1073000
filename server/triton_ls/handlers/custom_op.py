"""``workspace/executeCommand``: ``triton-ls.createCustomOp`` (document's URI, qualified name) writes a torch custom op
around a kernel below it."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from kernel_analysis.wire import Insertion, Insertions
from triton_ls import edits
from triton_ls.agents.process import AgentError
from triton_ls.ir_document import PATIENCE
from triton_ls.launching import progress
from triton_ls.server import TritonServer

COMMAND = "triton-ls.createCustomOp"
_TRIES = 3


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_create)


async def _create(ls: TritonServer, uri: str, qualname: str) -> dict[str, str]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    async with progress(ls, f"Writing a custom op around {qualname}", "The question"):
        asked, lines = await _made(ls, file, qualname)
    placed = await edits.insert(ls, uri, asked, lines, "Create torch custom op")
    if ls.client.show_document:
        # Where the op is now: below the imports that were added, and after its blank lines.
        last = placed[-1]
        blank = len(last.text) - len(last.text.lstrip("\n"))
        place = types.Position(last.line - 1 + blank + sum(one.text.count("\n") for one in placed[:-1]), 0)
        params = types.ShowDocumentParams(uri=uri, take_focus=True, selection=types.Range(place, place))
        await ls.window_show_document_async(params)
    return {"text": lines[-1].text}


async def _made(ls: TritonServer, file: str, qualname: str) -> tuple[str, tuple[Insertion, ...]]:
    """What is to be inserted, and the text that it was made for: one that did not change while it was made."""
    for _ in range(_TRIES):
        asked = ls.session.text(file)
        if asked is None:
            raise JsonRpcInvalidParams(f"{file} is not open.")
        try:
            made = await ls.session.ask(file, Insertions, PATIENCE, qualname=qualname)
        except AgentError as error:
            raise JsonRpcException(str(error)) from error
        if ls.session.text(file) == asked:
            return asked, made.insertions
    raise JsonRpcException("The file was edited while the op was written: ask again once it rests.")
