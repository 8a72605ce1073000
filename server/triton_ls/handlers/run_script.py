"""``workspace/executeCommand``: ``triton-ls.runScript`` (document's URI, qualified name, label) gives a launch as a
stand-alone script."""

from __future__ import annotations

from triton_ls.editor import Editor
from triton_ls.launching import answered, question_of
from triton_ls.runs.supervisor import script
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.runScript"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_script)


async def _script(
    session: Session, editor: Editor, uri: str, qualname: str, label: str | None = None
) -> dict[str, str]:
    file = editor.file(uri)
    question = question_of(session, editor, file, qualname, label)
    async with editor.progress(f"Planning a launch of {qualname}"):
        text = await answered(script(question), file)
    shown = editor.show_text(f"run_{qualname.replace('.', '_')}.py", text)
    return {"uri": shown, "text": text}
