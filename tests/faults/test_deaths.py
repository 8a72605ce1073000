"""Agents that are killed and stopped while somebody types: the server lives, facts come back, nothing stays behind.

``TRITON_LS_KILLS`` says how many agents die for each way to die; `make test-faults` kills 300 in all.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import puppet
import pytest
from connection import Connection, connect
from test_life import gone
from test_scheduler import Recorder, job, processes, scheduling

from triton_ls.agents import agent_process
from triton_ls.scheduler import AGENTS, worker
from triton_ls.scheduler.worker import GRACE

KILLS = int(os.environ.get("TRITON_LS_KILLS", "3"))
BACK = 10.0
"""Seconds within which there are facts again."""

HEAD = "import triton\nimport triton.language as tl\n\n\n"
OTHERS = "".join(
    f"""\
@triton.jit
def other_{number}(in_ptr, out_ptr):
    tl.store(out_ptr + {number}, tl.load(in_ptr))


"""
    for number in range(3)
)
EDITED = """\
@triton.jit
def edited(in_ptr, out_ptr):
    offsets = tl.arange(0, {size})
    tl.store(out_ptr + offsets, tl.load(in_ptr + offsets) + {number})
"""


def agents(connection: Connection) -> list[psutil.Process]:
    return psutil.Process(connection.pid).children()


def reached(process: psutil.Process, way: signal.Signals) -> bool:
    """Whether the signal came to a process that lived: between a look and a signal the server may have ended it."""
    try:
        process.send_signal(way)
    except psutil.NoSuchProcess:
        return False
    return True


def lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class Typist:
    """Types into one kernel of a file, and looks at all of them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._number = 0
        self.text = ""
        self.size = 0
        self.edit()
        self.uri = connection.open("kernels.py", self.text)

    def edit(self) -> None:
        """Another text than ever before."""
        self._number += 1
        self.size = random.choice([16, 32, 64, 128])
        self.text = HEAD + OTHERS + EDITED.format(size=self.size, number=self._number)

    def type(self) -> None:
        self.edit()
        self._connection.replace(self.uri, self.text)

    async def sees(self, pattern: str, words: str) -> bool:
        return words in (await self._connection.hover_on(self.uri, self.text, pattern, 1) or "")

    async def sees_others(self) -> bool:
        names = range(3)
        return all([await self.sees(rf"def other_{name}\(in_ptr, (out_ptr)", "**written** at line") for name in names])

    async def sees_all(self) -> bool:
        of_this_text = await self.sees(r"(offsets) = tl.arange", f"int32[{self.size}]")
        return (
            of_this_text and await self.sees(r"def edited\(in_ptr, (out_ptr)", "written") and await self.sees_others()
        )

    async def until_all(self, seconds: float) -> float:
        start = time.monotonic()
        while not await self.sees_all():
            assert time.monotonic() - start < seconds, self._connection.client.diagnostics
            await asyncio.sleep(0.05)
        return time.monotonic() - start


WAYS = [(way, True) for way in (signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP)]


@pytest.mark.parametrize(("way", "cache"), [*WAYS, (signal.SIGKILL, False)])
@pytest.mark.slow("each agent that dies is followed by another")
async def test_agents_that_die_while_somebody_types(
    way: signal.Signals, cache: bool, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    random.seed(way)
    kills = KILLS if cache else KILLS // 2
    if kills < 3:
        pytest.skip("make test-faults does it")
    async with connect(tmp_path, settings={"cache": cache}) as connection:
        typist = Typist(connection)
        await typist.until_all(60)
        server, seen = psutil.Process(connection.pid), set(agents(connection))
        killed = 0
        while killed < kills:
            typist.type()
            await asyncio.sleep(random.choice([0.0, 0.05, 0.15, 0.3, 0.6]))
            found = agents(connection)
            seen.update(found)
            killed += bool(found) and reached(random.choice(found), way)
            assert await typist.sees_others(), f"after {killed} kills"
            assert server.is_running()
        took = await typist.until_all(BACK)
        record_property("back after", round(took, 2))
        print(f"{way.name}: {killed} agents, facts after {took:.2f} s")
        # And what is typed now is analysed as if nothing had been.
        typist.type()
        await typist.until_all(BACK)
        await connection.until(lambda: len(agents(connection)) == AGENTS, "as many agents as before")
        left = agents(connection)
        seen.update(left)
        assert not [process for process in seen if process not in left and lives(process)]
        messages = [message.message for message in connection.client.messages]
        assert len(messages) <= 1, messages
        assert all("dies again and again" in message for message in messages)
    assert await gone(list(seen))


@pytest.mark.slow("each agent that dies is followed by another")
async def test_all_agents_die_with_every_edit(tmp_path: Path) -> None:
    """None ever gets to answer: their starts are put off more and more, but never for good."""
    async with connect(tmp_path, options={"status": True}) as connection:
        seen: list[str] = []
        connection.client.feature("triton-ls/status")(lambda params: seen.append(params.state))
        typist = Typist(connection)
        await typist.until_all(60)
        end = time.monotonic() + max(5.0, KILLS / 4)
        while time.monotonic() < end:
            typist.type()
            for agent in agents(connection):
                reached(agent, signal.SIGKILL)
            await asyncio.sleep(0.1)
            assert await typist.sees_others()
        # While it lasts the file and the status say why, and the message came once.
        await connection.until_shown(typist.uri, 1, "not-analyzed", "dies again and again")
        assert "degraded" in seen
        assert len(connection.client.messages) == 1
        assert await typist.sees_others()
        await typist.until_all(BACK)
        await connection.until_gone(typist.uri, 1, "not-analyzed")
        await connection.until(lambda: seen[-1] == "ready", "ready")


async def test_an_agent_that_is_stopped_is_replaced(tmp_path: Path) -> None:
    """Whatever it is at: it starts, it waits, it compiles."""
    recorder = Recorder()
    starting = puppet.interpreter(tmp_path, f"test -e {tmp_path}/was || {{ touch {tmp_path}/was; kill -STOP $$; }}")
    async with scheduling(tmp_path, recorder, interpreter=starting, size=1, reserve=0) as scheduler:
        start = time.monotonic()
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py")
        (waiting,) = processes(tmp_path)
        os.kill(waiting, signal.SIGSTOP)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def better(x):\n"))
        await recorder.until("finished", "a.py", 2)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def better(x):\ndef hang(x):\n"))
        await recorder.until("reported", "a.py", 3)
        while scheduler._workers[0]._compiling is None:
            await asyncio.sleep(0.01)  # one that is stopped between two functions is to blame on none
        os.kill(processes(tmp_path)[-1], signal.SIGSTOP)
        await recorder.until("finished", "a.py", 3)
        assert time.monotonic() - start < 10, "the time limit of the job had to do"
        assert not any(psutil.pid_exists(pid) for pid in processes(tmp_path)[:-1])
    assert re.search("stopped from outside", recorder.reports["hang"].problems[0].message)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody can tell")
async def test_a_process_that_is_stopped_before_it_is_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parent waits for that moment with all that it does."""
    real, stopped = agent_process.die_with_parent, tmp_path / "stopped"

    def stop_once() -> Callable[[], None] | None:
        before = real()

        def call() -> None:
            if before is not None:
                before()
            if not stopped.exists():
                stopped.touch()
                os.kill(os.getpid(), signal.SIGSTOP)

        return call

    monkeypatch.setattr(agent_process, "die_with_parent", stop_once)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py")
    assert stopped.exists()
    assert recorder.reports["good"].status == "analyzed"


@pytest.mark.parametrize(
    ("way", "kills", "said"),
    [
        (signal.SIGTERM, [4, 4], "the compiler was killed (signal 15)"),
        (signal.SIGKILL, [4, 4], "the compiler was killed (signal 9)"),
        (signal.SIGKILL, [4, 5], "the compiler was killed (signal 9), and the system had to end processes because"),
        (signal.SIGTERM, [4, 5], "the compiler was killed (signal 15)"),
        (signal.SIGSEGV, [4, 5], "the compiler crashed (signal 11)"),
    ],
)
async def test_what_is_known_of_a_death_is_said(
    way: signal.Signals, kills: list[int], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal; that there was no memory only where the system has counted one more end for that."""
    counted = iter([*kills, *[kills[-1]] * 10])
    monkeypatch.setattr(worker, "out_of_memory_kills", lambda: next(counted))
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow(x):\n"))
        while not puppet.suffers(tmp_path, "slow"):
            await asyncio.sleep(0.01)
        os.kill(processes(tmp_path)[0], way)
        await recorder.until("finished", "a.py")
    message = recorder.reports["slow"].problems[0].message
    assert message.startswith(said)
    assert ("memory" in message) == ("memory" in said or said.endswith("because"))


async def test_no_agent_is_ended_over_a_job_that_it_has_not_begun(tmp_path: Path) -> None:
    """Another text, or none, comes between giving it and its start."""
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py")
        while len(processes(tmp_path)) < 2:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def better(x):\n"))
        scheduler.outdate(str(tmp_path / "a.py"))
        await asyncio.sleep(GRACE + 0.2)
        assert len(processes(tmp_path)) == 2
        assert scheduler.trouble is None
        assert all("alive" in line for line in scheduler.describe())


async def test_an_agent_that_answers_while_it_is_ended_is_given_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It was ended over what is of no use any more; the end comes late on a busy machine, and is not the fault of what
    would be next."""
    real = agent_process.kill_group
    late: list[threading.Timer] = []

    def kill_late(pid: int) -> None:
        late.append(threading.Timer(1.2, real, (pid,)))
        late[-1].start()

    monkeypatch.setattr(agent_process, "kill_group", kill_late)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "cheap.py", "def good(x):\n"))  # an agent is soon replaced
        await recorder.until("finished", "cheap.py")
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow(x):\n"))
        while not puppet.suffers(tmp_path, "slow"):
            await asyncio.sleep(0.01)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow_too(x):\n"))
        await recorder.until("finished", "a.py")
        assert recorder.reports["slow_too"].status == "analyzed"
        assert len(processes(tmp_path)) == 2
        assert "was lost" not in caplog.text
        monkeypatch.setattr(agent_process, "kill_group", real)
    for timer in late:
        timer.join()


async def test_a_kernel_that_did_not_kill_its_agent_gets_its_facts(tmp_path: Path) -> None:
    """Somebody else did; it is tried again by itself, and one that is to blame is not tried for ever."""
    recorder = Recorder()
    again: list[str] = []
    async with scheduling(tmp_path, recorder, stale=again.extend) as scheduler:
        text = "def slow(x):\ndef crash(x):\ndef good(x):\n"
        scheduler.submit(job(tmp_path, recorder, "a.py", text))
        await recorder.until("indexed", "a.py")
        while not puppet.suffers(tmp_path, "slow"):
            await asyncio.sleep(0.01)
        os.kill(processes(tmp_path)[0], signal.SIGKILL)
        await recorder.until("finished", "a.py")
        assert recorder.reports["slow"].problems[0].message == "the compiler was killed (signal 9)"
        assert "crashed (signal 11)" in recorder.reports["crash"].problems[0].message
        assert recorder.reports["good"].status == "analyzed"
        for times in (1, 2):
            while len(again) < times:
                await asyncio.sleep(0.05)
            scheduler.submit(job(tmp_path, recorder, "a.py", text, urgent=False))
            await recorder.until("finished", "a.py", times + 1)
            assert recorder.reports["slow"].status == recorder.reports["good"].status == "analyzed"
            assert recorder.reports["crash"].status == "failed"
        assert again == [str(tmp_path / "a.py")] * 2
        assert recorder.messages == []
