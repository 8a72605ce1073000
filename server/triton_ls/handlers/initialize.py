"""``initialize``: read what the client can do, set up the session."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.handlers import diagnostic
from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.INITIALIZE)(_initialize)


def _initialize(ls: TritonServer, params: types.InitializeParams) -> None:
    ls.start_session(params)
    if ls.editor.client.pulls:
        diagnostic.register(ls)
