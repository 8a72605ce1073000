"""``workspace/executeCommand``: ``triton-ls.debugInformation`` -> what somebody who helps with a problem asks for
first, as Markdown."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from functools import partial
from importlib import metadata

from triton_ls import __version__
from triton_ls.editor import Editor
from triton_ls.log import Tail
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.debugInformation"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(partial(_debug_information, server.log))


def _debug_information(log: Tail, session: Session, editor: Editor) -> dict[str, str]:
    text = _text(log, session, editor)
    if not editor.client.virtual_documents:
        editor.show_text("triton-ls.md", text)
    return {"text": text}


def _text(log: Tail, session: Session, editor: Editor) -> str:
    status = session.status()
    client = editor.client
    settings = asdict(session.settings(session.focus or ""))
    lines = [
        "# triton-ls",
        "",
        f"- triton-ls {__version__}, pygls {metadata.version('pygls')}, Python {platform.python_version()} "
        f"({sys.executable}), {platform.platform()}",
        f"- {editor.name}, positions in {client.encoding}, {'pulls' if client.pulls else 'is pushed'} diagnostics",
        f"- interpreter: {status.python}, Triton {status.triton or 'unknown'}, target {status.target}",
        f"- state: {status.state}: {status.message}",
        f"- roots: {', '.join(session.roots) or 'none'}; {session.open_files} files are open",
        *(f"- {line}" for line in session.agents()),
        "",
        "## Settings",
        "",
        "```json",
        json.dumps(settings, indent=2, default=str),
        "```",
        "",
        "## Log",
        "",
        "```text",
        *(log.lines or ["nothing was logged"]),
        "```",
        "",
    ]
    return "\n".join(lines)
