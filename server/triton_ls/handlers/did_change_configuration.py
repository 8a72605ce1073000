"""``workspace/didChangeConfiguration``: ask for the settings anew, or take what was sent by clients that can't be
asked."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.event(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(_did_change_configuration)


async def _did_change_configuration(
    session: Session, editor: Editor, params: types.DidChangeConfigurationParams
) -> None:
    if not editor.client.configuration:
        session.take_settings(params.settings)
    await session.configure(editor.roots(), editor.client.configuration)
