"""``workspace/executeCommand``: ``triton-ls.configResources`` (document's URI, qualified name) compiles a kernel to the
end with each of its autotune configs, and shows what each takes of the GPU."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException

from kernel_analysis.wire import ConfigList
from triton_ls import config_table
from triton_ls.agents.agent_process import AgentError
from triton_ls.editor import Editor
from triton_ls.ir_document import PATIENCE
from triton_ls.server import TritonServer
from triton_ls.session import Session

COMMAND = "triton-ls.configResources"


def register(server: TritonServer) -> None:
    server.action(COMMAND)(_config_resources)


async def _config_resources(session: Session, editor: Editor, uri: str, qualname: str) -> dict[str, Any]:
    file = editor.file(uri)
    await session.ready()
    target = session.settings(file).target
    async with editor.progress(f"Compiling {qualname} with each config", "Compiling") as tell:
        try:
            found = await config_table.find(
                qualname,
                target,
                lambda: session.ask(file, ConfigList, qualname=qualname),
                lambda config: session.stage(file, qualname, "resources", PATIENCE, config),
                tell,
            )
        except AgentError as error:
            raise JsonRpcException(str(error)) from error
    text = found.text()
    shown = editor.show_text(f"{qualname}-configs.txt", text)
    return {"uri": shown, "text": text, **found.data()}
