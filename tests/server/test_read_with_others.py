"""What is shown of a file when others change that it was read with: in the editor, on disk, and meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import puppet
import pytest
from connection import Connection, connect
from lsprotocol import types

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n):
    tl.store(out_ptr, n)
"""
LAUNCH = "import torch\nfrom kernels import fill_kernel\n\nfill_kernel[(1,)](torch.empty(8, dtype=torch.float64), 3)\n"


def analyses(directory: Path, file: Path) -> int:
    return sum(entry[1] == "analyze" and entry[2]["file"] == str(file) for entry in puppet.log(directory))


async def test_an_edit_of_what_a_file_is_being_read_with_is_not_forgotten(tmp_path: Path) -> None:
    """Which files a file is read with is known when it has been analysed."""
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = connection.open("helper.py", "def helps(x):\n")
        await connection.until(lambda: analyses(tmp_path, helper), "the helper is analysed")
        connection.open("user.py", f"# depends {helper}\ndef slow_one(x):\n")
        await connection.until(lambda: puppet.suffers(tmp_path, "slow_one"), "the agent is at it")
        assert analyses(tmp_path, user) == 1
        connection.insert(uri, 0, 0, "#\n")
        await connection.until(lambda: analyses(tmp_path, user) == 2, "it is analysed with the new text")


async def test_a_file_that_is_opened_as_it_is_not_on_disk_counts_as_it_is_shown(tmp_path: Path) -> None:
    """As an editor opens it that kept what was not saved."""
    helper, user = tmp_path / "helper.py", tmp_path / "user.py"
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = connection.open("user.py", f"# depends {helper}\ndef one(x):\n")
        await connection.until(lambda: uri in connection.client.diagnostics, "it is analysed")
        connection.open("helper.py", "def helps(x):\n", save=False)
        await connection.until(lambda: analyses(tmp_path, user) == 2, "it is analysed with what is shown")


async def test_a_document_that_is_opened_twice_has_the_last_text(tmp_path: Path) -> None:
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNEL)
        await connection.until(lambda: uri in connection.client.diagnostics, "it is analysed")
        assert "fill_kernel" in (await connection.hover_on(uri, KERNEL, "fill_kernel") or "")
        connection.client.diagnostics.pop(uri)
        connection.open("kernels.py", KERNEL)
        await connection.until(lambda: uri in connection.client.diagnostics, "it is told again")
        new = KERNEL.replace("fill_kernel", "other_kernel").replace("\n\n\n", "\n\n\n# moved\n\n\n")
        connection.open("kernels.py", new)
        assert "fill_kernel" not in (await connection.hover_on(uri, new, "other_kernel") or "")
        connection.insert(uri, 0, 0, "#\n")
        await _until_hover(connection, uri, f"#\n{new}", "other_kernel", "other_kernel")


async def _until_hover(connection: Connection, uri: str, text: str, pattern: str, words: str) -> None:
    said = ""
    for _ in range(200):
        said = await connection.hover_on(uri, text, pattern) or ""
        if words in said:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(said)


@pytest.mark.slow("the agent compiles for each of four launches")
async def test_a_launch_in_a_file_that_was_not_there_before_counts(tmp_path: Path) -> None:
    """One that came beside the kernel, and one that only the editor knows of; each is gone again when it is gone."""
    async with connect(tmp_path) as connection:
        uri = connection.open("kernels.py", KERNEL)
        await _until_hover(connection, uri, KERNEL, "out_ptr", "fp32")
        beside = tmp_path / "launches.py"
        beside.write_text(LAUNCH)
        await _until_hover(connection, uri, KERNEL, "out_ptr", "fp64")
        beside.unlink()
        await _until_hover(connection, uri, KERNEL, "out_ptr", "fp32")
        away = tmp_path / "deep" / "down" / "launches.py"
        away.parent.mkdir(parents=True)
        away.write_text(LAUNCH)
        for kind, words in ((types.FileChangeType.Created, "fp64"), (types.FileChangeType.Deleted, "fp32")):
            change = types.FileEvent(away.as_uri(), kind)
            connection.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
            await _until_hover(connection, uri, KERNEL, "out_ptr", words)
            away.unlink(missing_ok=True)
