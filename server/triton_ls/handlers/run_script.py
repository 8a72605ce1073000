"""``workspace/executeCommand``: ``triton-ls.runScript`` (document's URI, qualified name, label) gives a launch as a
stand-alone script."""

from __future__ import annotations

from triton_ls import convert
from triton_ls.launching import answered, progress, question_of
from triton_ls.runs.supervisor import script
from triton_ls.server import TritonServer

COMMAND = "triton-ls.runScript"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_script)


async def _script(ls: TritonServer, uri: str, qualname: str, *label: str) -> dict[str, str]:
    file, question = question_of(ls, uri, qualname, label[0] if label else None)
    async with progress(ls, f"Planning a launch of {qualname}"):
        text = await answered(script(question), file)
    shown = convert.uri_of(ls.temporary_file(f"run_{qualname.replace('.', '_')}.py", text))
    ls.show(shown)
    return {"uri": shown, "text": text}
