"""``workspace/executeCommand``: ``triton-ls.showIr`` (document's URI, qualified name, stage) shows and returns a
function as the compiler has it at that stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pygls.exceptions import JsonRpcException

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.ir_document import IrSubject, content
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.showIr"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_show_ir)


async def _show_ir(session: Session, editor: Editor, uri: str, qualname: str, stage: str = "ttir") -> dict[str, Any]:
    subject = IrSubject(uri, qualname, stage)
    if subject.stage != "ttir":
        subject = await _of_kernel(session, editor, subject)
    text = (await content(session, editor, subject)).text
    if editor.client.virtual_documents:
        shown = subject.virtual_uri
        editor.show(shown)
    else:
        shown = editor.show_text(subject.file_name, text)
    return {"uri": shown, "text": text}


async def _of_kernel(session: Session, editor: Editor, subject: IrSubject) -> IrSubject:
    """A helper becomes part of the kernels that call it; below the front end there is nothing of its own to show."""
    file = convert.file_of(subject.uri)
    facts = None if file is None else session.view(file)
    entries = facts.kernels if facts is not None else ()
    entry = next((entry for entry in entries if entry.qualname == subject.qualname), None)
    if facts is None or entry is None or entry.role == "kernel":
        return subject
    kernels = facts.kernels_calling(entry)
    if not kernels:
        raise JsonRpcException(
            f"`{subject.qualname}` is a helper: there is no {subject.stage.upper()} of it alone, and no kernel of this "
            f"file calls it. Ask for that of a kernel that does."
        )
    message = f"{subject.qualname} is a helper: there is {subject.stage.upper()} of the kernels that call it. Of which?"
    chosen = await editor.choose(message, [kernel.qualname for kernel in kernels])
    if chosen is None:
        raise JsonRpcException("Nothing was chosen.")
    return replace(subject, qualname=chosen)
