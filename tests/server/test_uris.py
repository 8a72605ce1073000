"""Messages that no editor should send: each costs itself alone, and a request is answered, whatever is in it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from connection import INTERPRETER, KERNELS
from test_transport import answer, start

from triton_ls.uris import path_of

NO_FILES = {
    "a NUL": "file:///a%00b.py",
    "a surrogate": "file:///\ud800.py",
    "no address": "file://[::1",
    "a relative path": "file:relative.py",
    "no path": "file://",
    "nothing": "",
    "a path": "/x.py",
    "not saved": "untitled:Untitled-1",
    "a cell": "vscode-notebook-cell:/a/b.ipynb#X",
    "elsewhere": "https://127.0.0.1/x.py",
}
FILES = {
    "file:///x.py": "/x.py",
    "file:///a%0Ab.py": "/a\nb.py",
    "file:///%F0%9F%98%80.py": "/\U0001f600.py",
    "file:///\udcff.py": "/\udcff.py",
    "file:///" + "d/" * 3000 + "x.py": "/" + "d/" * 3000 + "x.py",
}
HOVER = "textDocument/hover"
NO_NUMBERS: list[object] = [-1, 2**31, 10**30, "x", None, [], {}]


@pytest.mark.parametrize("uri", NO_FILES.values(), ids=NO_FILES)
def test_what_no_file_can_be_called_is_none(uri: str) -> None:
    assert path_of(uri) is None


@pytest.mark.parametrize("uri", FILES)
def test_what_is_a_path(uri: str) -> None:
    assert path_of(uri) == FILES[uri]


class Raw:
    """A server that is written to as it comes."""

    def __init__(self, server: asyncio.subprocess.Process) -> None:
        self._server = server
        self.said: list[dict[str, Any]] = []

    def send(self, **message: Any) -> None:
        assert self._server.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    async def answer(self, identity: object) -> dict[str, Any]:
        while True:
            message = await answer(self._server)
            if "id" in message and "method" in message:
                self.send(id=message["id"], result=None)
            elif message.get("id") == identity and "method" not in message:
                return message
            else:
                self.said.append(message)

    async def close(self) -> int:
        self.send(id="end", method="shutdown")
        await self.answer("end")
        self.send(method="exit")
        return await asyncio.wait_for(self._server.wait(), 20)


async def opened(work: Path, *folders: str) -> Raw:
    raw = Raw(await start())
    every = [*folders, work.as_uri()]
    raw.send(
        id=0,
        method="initialize",
        params={
            "processId": None,
            "rootUri": every[0],
            "workspaceFolders": [{"uri": uri, "name": "x"} for uri in every],
            "capabilities": {},
            "initializationOptions": {"interpreter": INTERPRETER, "cache": False},
        },
    )
    await raw.answer(0)
    raw.send(method="initialized", params={})
    return raw


def document(uri: str) -> dict[str, Any]:
    return {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": KERNELS}}


@pytest.mark.slow("a server, and the start of an agent")
async def test_files_and_folders_that_can_not_be(tmp_path: Path) -> None:
    raw = await opened(tmp_path, *NO_FILES.values())
    for uri in (*NO_FILES.values(), *FILES):
        raw.send(method="textDocument/didOpen", params=document(uri))
        raw.send(method="textDocument/didSave", params={"textDocument": {"uri": uri}})
        raw.send(method="workspace/didChangeWatchedFiles", params={"changes": [{"uri": uri, "type": 2}]})
        raw.send(id=1, method="textDocument/documentSymbol", params={"textDocument": {"uri": uri}})
        await raw.answer(1)
        raw.send(method="textDocument/didClose", params={"textDocument": {"uri": uri}})
    uri = (tmp_path / "kernels.py").as_uri()
    raw.send(method="textDocument/didOpen", params=document(uri))
    raw.send(id=2, method="triton-ls/status", params={})
    await raw.answer(2)
    found: dict[str, Any] = {}
    for identity in range(3, 200):
        place = {"line": 5, "character": 17}
        raw.send(id=identity, method=HOVER, params={"textDocument": {"uri": uri}, "position": place})
        found = await raw.answer(identity)
        if "read" in json.dumps(found.get("result")):
            break
        await asyncio.sleep(0.2)
    else:
        pytest.fail(f"the kernel was not analysed: {found}, {raw.said[-3:]}")
    shown = [m["params"]["message"] for m in raw.said if m.get("method") == "window/showMessage"]
    assert not [message for message in shown if "went wrong" in message or "fault" in message]
    assert await raw.close() == 0


@pytest.mark.slow("a server of its own")
async def test_a_request_that_can_not_be_read_is_answered(tmp_path: Path) -> None:
    raw = await opened(tmp_path)
    uri = (tmp_path / "kernels.py").as_uri()
    raw.send(method="textDocument/didOpen", params=document(uri))
    for identity, odd in enumerate(NO_NUMBERS, 1):
        place = {"line": odd, "character": 0}
        raw.send(id=identity, method=HOVER, params={"textDocument": {"uri": uri}, "position": place})
        assert (await raw.answer(identity))["error"]["code"] == -32602
    raw.send(id=[], method=HOVER, params={"textDocument": {"uri": uri}, "position": {"line": 5, "character": 5}})
    raw.send(id={}, method=HOVER, params={"textDocument": {"uri": uri}, "position": {"line": 5, "character": 5}})
    raw.send(id=99, method=HOVER, params=7)
    assert "error" in await raw.answer(99)
    assert await raw.close() == 0
