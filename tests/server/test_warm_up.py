"""What is made while the agent comes up is what the server is asked for, and all of it can be made."""

from __future__ import annotations

import asyncio

from triton_ls import warm_up
from triton_ls.handlers import register
from triton_ls.server import TritonServer


def test_what_is_made_ahead_is_asked_for() -> None:
    server = TritonServer()
    register(server)
    try:
        answered = {*server.protocol.fm.features, *server.protocol.fm.builtin_features}
        assert set(warm_up._OFTEN) <= answered  # pyright: ignore[reportPrivateUsage]
        asyncio.run(warm_up.prepare(server.protocol))
    finally:
        server.shutdown()
