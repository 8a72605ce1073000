"""``workspace/didChangeWorkspaceFolders``: other roots, so other settings and other places to find modules."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(_did_change_workspace_folders)


async def _did_change_workspace_folders(ls: TritonServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    await ls.configure()
