"""What the handlers that make a launch share: the question for its processes, and their refusal as an answer.

May not start a process.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcException

from triton_ls.editor import Editor
from triton_ls.runs.supervisor import RunFailed, RunQuestion
from triton_ls.session import Session


def question_of(session: Session, editor: Editor, file: str, qualname: str, label: str | None) -> RunQuestion:
    """``label``: which of the launches that a pragma names. Whoever has a question can have processes of the user's
    Python started, with all that is installed in it: there is none in a workspace that is not trusted."""
    if not editor.client.trusted:
        raise JsonRpcException(
            "Kernels can be run, and launches made, in trusted workspaces only: both start your Python with all that "
            "is installed in it, and running a kernel executes the code of the workspace."
        )
    settings = session.settings(file)
    roots = session.roots or (str(Path(file).parent),)
    return RunQuestion(
        file, qualname, settings.interpreter, roots, session.texts, settings.device, label, settings.run_timeout
    )


async def answered(work: Any, file: str) -> Any:
    try:
        return await work
    except RunFailed as failed:
        place = ""
        if failed.place is not None:
            where, line = failed.place
            place = f"line {line}: " if where == file else f"{where}:{line}: "
        raise JsonRpcException(place + str(failed)) from failed
