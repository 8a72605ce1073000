"""What a text sets in other files counts for what is shown of them, whether or not that was known to hang on it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from connection import Connection, connect
from lsprotocol import types

KERNEL = """import triton
import triton.language as tl
import cfg

SAVE = tl.constexpr(cfg.SAVE)


@triton.jit
def put(out_ptr):
    if SAVE:
        tl.store(out_ptr, 1)
"""
SETS_NOTHING = "import cfg\n\n# cfg.SAVE = True\nprint(cfg.SAVE, 1)\n"
SETS = {
    "comment": SETS_NOTHING.replace("# cfg", "cfg"),
    "targets": SETS_NOTHING.replace("print(cfg.SAVE, 1)", "cfg.SAVE, y = 1, 1"),
}


@pytest.mark.slow("two agents that import Triton")
async def test_a_store_in_another_file_is_seen_after_a_pause(tmp_path: Path) -> None:
    """One that its text alone told apart from none: the file was read for nobody."""
    (tmp_path / "cfg.py").write_text("SAVE = False\n")
    (tmp_path / "main.py").write_text(SETS_NOTHING)
    async with connect(tmp_path) as connection:
        kernel = connection.open("kernel.py", KERNEL)
        await _until_said(connection, kernel, "not written")
        main = connection.open("main.py", SETS_NOTHING)
        for text in SETS.values():
            connection.replace(main, text)
            await _until_said(connection, kernel, "unknown")
            connection.replace(main, SETS_NOTHING)
            await _until_said(connection, kernel, "not written")
        connection.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(main)))
        for text in SETS.values():
            await _write(connection, tmp_path / "main.py", text)
            await _until_said(connection, kernel, "unknown")
            await _write(connection, tmp_path / "main.py", SETS_NOTHING)
            await _until_said(connection, kernel, "not written")


async def _write(connection: Connection, file: Path, text: str) -> None:
    file.write_text(text)
    event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
    connection.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


async def _until_said(connection: Connection, uri: str, words: str) -> None:
    """Of the parameter, in its hover."""
    said: str | None = None
    for _ in range(300):
        said = await connection.hover(uri, 8, 8)
        if said is not None and words in said:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"not {words}: {said}")
