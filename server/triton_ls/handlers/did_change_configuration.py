"""``workspace/didChangeConfiguration``: ask for the settings anew, or take what was sent by clients that can't be
asked."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_configuration)


async def _did_change_configuration(ls: TritonServer, params: types.DidChangeConfigurationParams) -> None:
    if not ls.client.configuration:
        ls.configuration.take(params.settings, "The editor's settings")
    await ls.configure()
