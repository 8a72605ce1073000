"""``workspace/executeCommand``: ``triton-ls.run`` (document's URI, qualified name, label) launches a kernel in
processes of its own and says what it did."""

from __future__ import annotations

from typing import Any

from triton_ls.editor import Editor
from triton_ls.launching import answered, question_of
from triton_ls.runs import run_report
from triton_ls.runs.supervisor import run
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.run"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_run)


async def _run(session: Session, editor: Editor, uri: str, qualname: str, label: str | None = None) -> dict[str, Any]:
    file = editor.file(uri)
    question = question_of(session, editor, file, qualname, label)
    facts = session.current(file)
    entries = facts.kernels if facts is not None else ()
    async with editor.progress(f"Running {qualname}") as tell:
        result = await answered(run(question, tell), file)
    markdown = run_report.markdown(result)
    for entry in entries:
        if entry.qualname == qualname:
            session.last_runs.note(file, entry, run_report.summary(result))
            editor.ask_for_hints()
    if not editor.client.virtual_documents:  # such a client has a place of its own for it
        editor.show_text(f"{qualname}-run.md", markdown)
    return {"markdown": markdown, "result": result}
