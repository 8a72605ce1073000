"""``workspace/executeCommand``: ``triton-ls.run`` (document's URI, qualified name, label) launches a kernel in
processes of its own and says what it did."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from triton_ls import convert
from triton_ls.launching import answered, progress, question_of
from triton_ls.runs import report
from triton_ls.runs.supervisor import run
from triton_ls.server import TritonServer

COMMAND = "triton-ls.run"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_run)


async def _run(ls: TritonServer, uri: str, qualname: str, *label: str) -> dict[str, Any]:
    # pygls knows no arguments with defaults.
    if not ls.client.trusted:
        raise JsonRpcException(
            "Kernels can be run in trusted workspaces only: running one executes the code of the workspace."
        )
    file, question = question_of(ls, uri, qualname, label[0] if label else None)
    entry = _entry(ls, file, qualname)
    async with progress(ls, f"Running {qualname}") as tell:
        result = await answered(run(question, tell), file)
    markdown = report.markdown(result)
    if entry is not None:
        ls.note_run(file, entry, report.summary(result))
    if not ls.client.virtual_documents:  # such a client has a place of its own for it
        ls.show(convert.uri_of(ls.temporary_file(f"{qualname}-run.md", markdown)))
    return {"markdown": markdown, "result": result}


def _entry(ls: TritonServer, file: str, qualname: str) -> Any:
    facts = ls.session.current(file)
    return next((entry for entry in facts.kernels if entry.qualname == qualname), None) if facts is not None else None
