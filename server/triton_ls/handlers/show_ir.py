"""``workspace/executeCommand``: ``triton-ls.showIr`` (document's URI, qualified name, stage) shows and returns a
function as the compiler has it at that stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from triton_ls import convert
from triton_ls.ir_document import Subject, content
from triton_ls.server import TritonServer

COMMAND = "triton-ls.showIr"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_show_ir)


async def _show_ir(ls: TritonServer, uri: str, qualname: str, *stage: str) -> dict[str, Any]:
    # pygls knows no arguments with defaults.
    subject = Subject(uri, qualname, stage[0] if stage else "ttir")
    if subject.stage != "ttir":
        subject = await _of_kernel(ls, subject)
    text = (await content(ls, subject)).text
    if ls.client.virtual_documents:
        shown = subject.virtual_uri
    else:
        shown = convert.uri_of(ls.temporary_file(subject.file_name, text))
    ls.show(shown)
    return {"uri": shown, "text": text}


async def _of_kernel(ls: TritonServer, subject: Subject) -> Subject:
    """A helper becomes part of the kernels that call it; below the front end there is nothing of its own to show."""
    file = ls.file_of(subject.uri)
    facts = None if file is None else ls.session.view(file)
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
    actions = [types.MessageActionItem(kernel.qualname) for kernel in kernels]
    params = types.ShowMessageRequestParams(types.MessageType.Info, message, actions)
    chosen = await ls.window_show_message_request_async(params)
    if chosen is None:
        raise JsonRpcException("Nothing was chosen.")
    return replace(subject, qualname=chosen.title)
