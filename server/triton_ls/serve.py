"""The start and the end of the language server.

May import nothing of pygls or lsprotocol before the first agent starts: both come up side by side.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, BinaryIO

from triton_ls.agents.children import kill_all
from triton_ls.agents.early_start import FirstAgent
from triton_ls.transport import Input, end_on_signals, first_message

if TYPE_CHECKING:
    from triton_ls.server import TritonServer

logger = logging.getLogger(__name__)


def serve() -> int:
    """Run on standard input and output until the client ends it. The exit code is 0 after a proper shutdown."""
    servers: list[TritonServer] = []

    async def stop() -> None:
        for server in servers:
            await server.stop()

    end_on_signals(stop)
    # What anything prints must not get between the messages.
    stdout, sys.stdout = sys.stdout.buffer, sys.stderr
    logger.info("Starting on standard input and output")
    head, message = first_message(sys.stdin.buffer)
    try:
        asyncio.run(_run(Input(sys.stdin.buffer, head + message), message, stdout, servers))
    except BrokenPipeError:
        logger.error("the client is gone")
    finally:
        kill_all()
        for server in servers:
            server.shutdown()
    return 0 if servers and servers[0].was_shut_down else 1


async def _run(stdin: Input, message: bytes, stdout: BinaryIO, servers: list[TritonServer]) -> None:
    early = FirstAgent()
    await early.begin(message)
    from triton_ls.handlers import register
    from triton_ls.log import Refusals
    from triton_ls.server import TritonServer

    server = TritonServer(early.start)
    servers.append(server)
    logging.getLogger().addHandler(server.log)
    logging.getLogger("pygls.protocol.json_rpc").addFilter(Refusals())
    register(server)
    try:
        await server.run(stdin, stdout)
    finally:
        # Left to be cancelled with the loop, what lives in it may not end: see `Scheduler._live`.
        await server.stop()
