"""``workspace/executeCommand``: ``triton-ls.createCustomOp`` (document's URI, qualified name) writes a torch custom op
around a kernel below it."""

from __future__ import annotations

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from kernel_analysis.wire import Insertion, Insertions
from triton_ls import edits
from triton_ls.agents.agent_process import AgentError
from triton_ls.editor import Editor
from triton_ls.ir_document import PATIENCE
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.createCustomOp"
_TRIES = 3


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_create)


async def _create(session: Session, editor: Editor, uri: str, qualname: str) -> dict[str, str]:
    file = editor.file(uri)
    async with editor.progress(f"Writing a custom op around {qualname}", "The question"):
        asked, lines = await _made(session, file, qualname)
    placed = await edits.insert(session, editor, uri, asked, lines, "Create torch custom op")
    # Where the op is now: below the imports that were added, and after its blank lines.
    last = placed[-1]
    blank = len(last.text) - len(last.text.lstrip("\n"))
    await editor.select(uri, last.line - 1 + blank + sum(one.text.count("\n") for one in placed[:-1]))
    return {"text": lines[-1].text}


async def _made(session: Session, file: str, qualname: str) -> tuple[str, tuple[Insertion, ...]]:
    """What is to be inserted, and the text that it was made for: one that did not change while it was made."""
    for _ in range(_TRIES):
        asked = session.text(file)
        if asked is None:
            raise JsonRpcInvalidParams(f"{file} is not open.")
        try:
            made = await session.ask(file, Insertions, PATIENCE, qualname=qualname)
        except AgentError as error:
            raise JsonRpcException(str(error)) from error
        if session.text(file) == asked:
            return asked, made.insertions
    raise JsonRpcException("The file was edited while the op was written: ask again once it rests.")
