"""``workspace/didChangeWorkspaceFolders``: other roots, so other settings and other places to find modules."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.event(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(_did_change_workspace_folders)


async def _did_change_workspace_folders(
    session: Session, editor: Editor, params: types.DidChangeWorkspaceFoldersParams
) -> None:
    await session.configure(editor.roots(), editor.client.configuration)
