"""Headers as clients may write them, and the signals that end a server: over its real standard streams."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import puppet
import pytest
from connection import SOURCES, connect
from test_life import ENVIRONMENT, agents_of, gone

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "capabilities": {}}}


async def start(*arguments: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "triton_ls", "serve", *arguments,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=ENVIRONMENT, cwd=SOURCES,
    )  # fmt: skip


async def answer(server: asyncio.subprocess.Process) -> dict[str, Any]:
    """The next message of the server."""
    assert server.stdout is not None
    header = await asyncio.wait_for(server.stdout.readuntil(b"\r\n\r\n"), 20)
    length = next(int(line.split(b":")[1]) for line in header.split(b"\r\n") if line.startswith(b"Content-Length"))
    return json.loads(await server.stdout.readexactly(length))


@pytest.mark.parametrize(
    "header",
    [
        "Content-Length: {}\r\n\r\n",
        "content-length: {}\r\n\r\n",
        "CONTENT-LENGTH:{}\r\n\r\n",
        "Content-length :  {}  \r\n\r\n",
        "content-type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length: {}\r\n\r\n",
        "content-length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        "content-length: {}\n\n",
    ],
)
async def test_headers_in_upper_and_lower_case(header: str) -> None:
    server = await start()
    assert server.stdin is not None
    for number in (1, 2):
        # A body that looks like a header is none.
        body = json.dumps({**INITIALIZE, "id": number, "note": "\ncontent-length: 3\r\n"}).encode()
        server.stdin.write(header.format(len(body)).encode() + body)
        assert (await answer(server))["id"] == number
    server.stdin.close()
    assert await asyncio.wait_for(server.wait(), 10) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signals_before_there_is_a_client(number: signal.Signals) -> None:
    server = await start("--log-level", "debug")
    assert server.stderr is not None
    log = b""
    while b"Starting" not in log:
        log += await asyncio.wait_for(server.stderr.readline(), 20)
    server.send_signal(number)
    assert await asyncio.wait_for(server.wait(), 10) == 128 + number
    assert b"Traceback" not in log + await server.stderr.read()


IN_A_LINE = """
import io, logging, os, signal, sys
from triton_ls.transport import end_on_signals

class Raw(io.RawIOBase):
    def writable(self):
        return True
    def write(self, data):
        os.kill(os.getpid(), signal.SIGTERM)
        return len(data)

async def stop():
    pass

end_on_signals(stop)
sys.stderr = io.TextIOWrapper(io.BufferedWriter(Raw()), write_through=True)
logging.basicConfig(stream=sys.stderr)
logging.error("a line")
"""


def test_a_signal_in_the_middle_of_a_line_of_the_log() -> None:
    done = subprocess.run([sys.executable, "-c", IN_A_LINE], env=ENVIRONMENT, timeout=20, check=False)
    assert done.returncode == 128 + signal.SIGTERM


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes, it doesn't ask them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signals_while_a_kernel_compiles(tmp_path: Path, number: signal.Signals) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    os.environ["TMPDIR"] = str(temporary)
    try:
        async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}, shut_down=False) as found:
            found.open("kernels.py", "def hang(x):\n")
            await found.until(lambda: puppet.suffers(tmp_path, "hang"), "the agent is busy")
            agents = agents_of(found.pid) or psutil.Process(found.pid).children(recursive=True)
            server = found.client._server
            assert server is not None
            server.send_signal(number)
            assert await asyncio.wait_for(server.wait(), 10) == 128 + number
            assert await gone(agents)
            assert server.stderr is not None
            assert b"Traceback" not in await server.stderr.read()
    finally:
        del os.environ["TMPDIR"]
    assert not list(temporary.glob("triton-ls*"))


async def test_a_client_that_does_not_wait_for_the_answer_to_its_last_request(tmp_path: Path) -> None:
    """What is left to say has nowhere to go: a few lines in the log, and the end."""
    server = await start()
    assert server.stdin is not None
    assert server.stderr is not None
    for message in (
        {"id": 1, "method": "initialize", "params": {"rootUri": tmp_path.as_uri(), "capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "shutdown"},
        {"method": "exit"},
    ):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    log = await asyncio.wait_for(server.stderr.read(), 20)
    await asyncio.wait_for(server.wait(), 10)
    assert len(log) < 50_000, log[:2000]


async def test_what_comes_out_of_turn_is_refused() -> None:
    """Nothing before hello, which is said once, and nothing after goodbye; each request has its answer."""
    server = await start()
    assert server.stdin is not None
    hover = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
    too_early, again, too_late = -32002, -32600, -32600
    for number, method, params, refused in (
        (2, "textDocument/hover", hover, too_early),
        (3, "shutdown", None, too_early),
        (4, "initialize", INITIALIZE["params"], None),
        (5, "initialize", INITIALIZE["params"], again),
        (6, "textDocument/hover", hover, None),
        (7, "shutdown", None, None),
        (8, "shutdown", None, too_late),
        (9, "textDocument/hover", hover, too_late),
    ):
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        while (said := await answer(server)).get("id") != number or "method" in said:
            pass
        assert said.get("error", {}).get("code") == refused, said
    body = b'{"jsonrpc": "2.0", "method": "exit"}'
    server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    assert await asyncio.wait_for(server.wait(), 10) == 0


@pytest.mark.parametrize("body", [b"[1]", b"null", b'"x"', b"3", b"{}", b"[", b"[" * 100_000, b'{"jsonrpc": "\xff"}'])
async def test_what_is_no_message_ends_nothing(body: bytes) -> None:
    server = await start()
    assert server.stdin is not None
    asked = json.dumps(INITIALIZE).encode()
    for sent in (body, asked):
        server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(sent), sent))
    while (said := await answer(server)).get("id") != 1:
        assert "object has no attribute" not in said["params"]["message"]
    assert "capabilities" in said["result"]
    server.stdin.close()
    await asyncio.wait_for(server.wait(), 10)
