"""``workspace/executeCommand``: ``triton-ls.configResources`` (document's URI, qualified name) compiles a kernel to the
end with each of its autotune configs, and shows what each takes of the GPU."""

from __future__ import annotations

from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from kernel_analysis.wire import ConfigList
from triton_ls import config_table, convert
from triton_ls.agents.process import AgentError
from triton_ls.ir_document import PATIENCE
from triton_ls.launching import progress
from triton_ls.server import TritonServer

COMMAND = "triton-ls.configResources"


def register(server: TritonServer) -> None:
    server.command(COMMAND)(_config_resources)


async def _config_resources(ls: TritonServer, uri: str, qualname: str) -> dict[str, Any]:
    file = ls.file_of(uri)
    if file is None:
        raise JsonRpcInvalidParams(f"{uri} is no file.")
    await ls.session.ready()
    target = ls.session.settings(file).target
    async with progress(ls, f"Compiling {qualname} with each config", "Compiling") as tell:
        try:
            found = await config_table.find(
                qualname,
                target,
                lambda: ls.session.ask(file, ConfigList, qualname=qualname),
                lambda config: ls.session.stage(file, qualname, "resources", PATIENCE, config),
                tell,
            )
        except AgentError as error:
            raise JsonRpcException(str(error)) from error
    text = found.text()
    shown = convert.uri_of(ls.temporary_file(f"{qualname}-configs.txt", text))
    ls.show(shown)
    return {"uri": shown, "text": text, **found.data()}
