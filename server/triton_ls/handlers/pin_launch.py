"""``workspace/executeCommand``: ``triton-ls.pinLaunch`` (document's URI, qualified name) writes the launch that a run
would make into a comment above the kernel."""

from __future__ import annotations

from pygls.exceptions import JsonRpcInvalidParams

from kernel_analysis.wire import Insertion
from triton_ls import edits
from triton_ls.editor import Editor
from triton_ls.launching import answered, question_of
from triton_ls.runs.supervisor import pin
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.pinLaunch"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_pin)


async def _pin(session: Session, editor: Editor, uri: str, qualname: str) -> dict[str, str]:
    file = editor.file(uri)
    question = question_of(session, editor, file, qualname, None)
    asked = session.text(file)
    if asked is None:
        raise JsonRpcInvalidParams(f"{uri} is not open.")
    async with editor.progress(f"Planning a launch of {qualname}"):
        line, text = await answered(pin(question), file)
    await edits.insert(session, editor, uri, asked, [Insertion(line, text + "\n")], "Pin launch parameters")
    return {"text": text}
