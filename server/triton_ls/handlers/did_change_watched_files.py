"""``workspace/didChangeWatchedFiles``: files that came, went or changed where nothing is watched here: one that was not
there may launch a kernel."""

from __future__ import annotations

from lsprotocol import types

from triton_ls import convert
from triton_ls.editor import Editor
from triton_ls.server import TritonServer
from triton_ls.session import Session


def register(server: TritonServer) -> None:
    server.event(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(_did_change_watched_files)


def _did_change_watched_files(session: Session, editor: Editor, params: types.DidChangeWatchedFilesParams) -> None:
    files = {file for change in params.changes if (file := convert.file_of(change.uri)) is not None}
    if files:
        session.changed_on_disk(files)
