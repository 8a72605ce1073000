"""``workspace/executeCommand``: ``triton-ls.debugInformation`` -> what somebody who helps with a problem asks for
first, as Markdown."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict
from importlib import metadata

from triton_ls import __version__, convert
from triton_ls.server import TritonServer

COMMAND = "triton-ls.debugInformation"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_debug_information)


def _debug_information(ls: TritonServer) -> dict[str, str]:
    text = _text(ls)
    if not ls.client.virtual_documents:
        ls.show(convert.uri_of(ls.temporary_file("triton-ls.md", text)))
    return {"text": text}


def _text(ls: TritonServer) -> str:
    status = ls.session.status()
    settings = asdict(ls.session.settings(ls.session.focus or ""))
    lines = [
        "# triton-ls",
        "",
        f"- triton-ls {__version__}, pygls {metadata.version('pygls')}, Python {platform.python_version()} "
        f"({sys.executable}), {platform.platform()}",
        f"- {ls.editor}, positions in {ls.client.encoding}, {'pulls' if ls.client.pulls else 'is pushed'} diagnostics",
        f"- interpreter: {status.python}, Triton {status.triton or 'unknown'}, target {status.target}",
        f"- state: {status.state}: {status.message}",
        f"- roots: {', '.join(ls.session.roots) or 'none'}; {ls.session.open_files} files are open",
        *(f"- {line}" for line in ls.session.agents()),
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
        *(ls.log.lines or ["nothing was logged"]),
        "```",
        "",
    ]
    return "\n".join(lines)
