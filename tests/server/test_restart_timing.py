"""When an edit is analysed: at once, after what runs, or in its place. Real processes, real time."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import puppet
import pytest
from connection import Connection, connect

pytestmark = pytest.mark.alone


async def opened(connection: Connection, text: str) -> str:
    uri = connection.open("kernels.py", text)
    await connection.until(lambda: uri in connection.client.diagnostics, "diagnostics")
    return uri


def analyses(directory: Path) -> int:
    return sum(entry[1] == "analyze" for entry in puppet.log(directory))


def processes(directory: Path) -> set[int]:
    return {entry[0] for entry in puppet.log(directory) if entry[1] == "analyze"}


async def test_an_edit_is_analysed_at_once(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = await opened(connection, "def good(x):\n")
        await asyncio.sleep(0.5)  # an edit after a pause, as the others below
        waits: list[float] = []
        for number in range(11):
            before, start = analyses(tmp_path), time.perf_counter()
            connection.insert(uri, 0, 0, f"# {number}\n")
            while analyses(tmp_path) == before:
                await asyncio.sleep(0.001)
            waits.append(time.perf_counter() - start)
            await asyncio.sleep(0.1)
    assert sorted(waits)[5] < 0.03, "something waits before it compiles"


async def test_keys_that_come_while_it_compiles_are_taken_together_and_cost_no_agent(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = await opened(connection, "def brief(x):\n")
        before = analyses(tmp_path)
        for _ in range(40):
            connection.insert(uri, 0, 0, "#\n")
            await asyncio.sleep(0.025)
        await asyncio.sleep(0.5)  # that there are no more can only be seen by waiting
        # A tenth of a second each, for a second.
        assert 5 <= analyses(tmp_path) - before <= 13
        assert len(processes(tmp_path)) == 1, "an agent was killed, or two worked for one file"
        last = [entry[2]["text"] for entry in puppet.log(tmp_path) if entry[1] == "document"][-1]
        assert last == "#\n" * 40 + "def brief(x):\n"


async def test_what_hangs_is_given_up_for_the_newest_text(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = await opened(connection, "def good(x):\n")
        connection.replace(uri, "def hang(x):\n")
        await connection.until(lambda: puppet.suffers(tmp_path, "hang"), "the agent hangs")
        start = time.perf_counter()
        connection.replace(uri, "def better(x):\n")
        while not any("better" in str(entry) for entry in puppet.log(tmp_path)):
            await asyncio.sleep(0.01)
        assert time.perf_counter() - start < 0.5
        await connection.until(lambda: len(processes(tmp_path)) == 2, "the stand-in takes over")


async def test_a_file_that_takes_long_waits_for_a_pause(tmp_path: Path) -> None:
    async with connect(tmp_path, settings={"interpreter": puppet.interpreter(tmp_path)}) as connection:
        uri = await opened(connection, "def slow(x):\n")
        connection.insert(uri, 0, 0, "#\n")  # the first time says nothing: an agent had to start
        await asyncio.sleep(1.5)  # until it is quiet again: a second of compiling, and the pause after it
        before = analyses(tmp_path)
        for _ in range(20):
            connection.insert(uri, 0, 0, "#\n")
            await asyncio.sleep(0.05)
        assert analyses(tmp_path) == before
        await connection.until(lambda: analyses(tmp_path) == before + 1, "one analysis, after the last key")
