"""``shutdown``: the agents end, what was written to temporary files goes."""

from __future__ import annotations

from lsprotocol import types

from triton_ls.server import TritonServer


def register(server: TritonServer) -> None:
    server.feature(types.SHUTDOWN)(_shutdown)


async def _shutdown(ls: TritonServer, params: None) -> None:
    await ls.stop()
