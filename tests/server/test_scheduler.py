"""Hangs, crashes, obsolete jobs, priorities: real processes that misbehave, under the real scheduler."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path

import puppet
import pytest

from kernel_analysis.report import Finding, KernelReport
from kernel_analysis.wire import Index, Printed, Reply
from triton_ls.agents.agent_process import AgentError
from triton_ls.agents.launch import Environment
from triton_ls.scheduler import Job, Scheduler

PATIENCE = 20


class Recorder:
    """Keeps what the scheduler reports."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, str]] = []
        self.reports: dict[str, KernelReport] = {}
        self.messages: list[str] = []
        self.texts: dict[str, str] = {}
        self._changed = asyncio.Event()

    def _record(self, kind: str, job: Job, detail: str) -> None:
        self.events.append((kind, os.path.basename(job.file), detail))
        self._changed.set()

    def told(self, job: Job, findings: tuple[Finding, ...]) -> None:
        """No file of these tests has any."""

    def indexed(self, job: Job, index: Index) -> None:
        self._record("indexed", job, "")

    def reported(self, job: Job, report: KernelReport) -> None:
        self.reports[report.name] = report
        self._record("reported", job, report.name)

    def early(self, job: Job, report: KernelReport) -> None:
        self._record("early", job, report.name)

    def delayed(self, job: Job, reason: str) -> None:
        self._record("delayed", job, reason)

    def finished(self, job: Job, reply: Reply) -> None:
        self._record("finished", job, reply.digest)

    def failed(self, job: Job, message: str) -> None:
        self._record("failed", job, message)

    async def until(self, kind: str, file: str, times: int = 1) -> None:
        async def wait() -> None:
            while sum(event[:2] == (kind, file) for event in self.events) < times:
                self._changed.clear()
                await self._changed.wait()

        await asyncio.wait_for(wait(), PATIENCE)


@contextlib.asynccontextmanager
async def scheduling(
    directory: Path,
    recorder: Recorder,
    interpreter: str | None = None,
    size: int = 2,
    reserve: int = 1,
    stale: Callable[[Iterable[str]], None] = lambda files: None,
) -> AsyncGenerator[Scheduler]:
    program = puppet.interpreter(directory) if interpreter is None else interpreter
    environment = Environment(program, "cuda:90", None, 4096, (str(directory),))
    scheduler = Scheduler(
        environment,
        size=size,
        reserve=reserve,
        texts=lambda: recorder.texts,
        tell=recorder.messages.append,
        stale=stale,
    )
    try:
        yield scheduler
    finally:
        await scheduler.close()


def job(directory: Path, recorder: Recorder, name: str, text: str, *, timeout: float = 10, urgent: bool = True) -> Job:
    file = str(directory / name)
    recorder.texts[file] = text
    return Job(file, recorder, {}, timeout, urgent)


def processes(directory: Path) -> list[int]:
    return [entry[0] for entry in puppet.log(directory) if entry[1] == "initialize"]


async def test_a_hanging_kernel_costs_only_its_own_facts(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def one(x):\ndef hang(x):\ndef two(x):\n", timeout=0.5))
        await recorder.until("finished", "a.py")
    assert recorder.reports["hang"].problems[0].message == "the compiler needed more than 0.5 s"
    assert recorder.reports["one"].status == recorder.reports["two"].status == "analyzed"


async def test_what_is_told_early_does_not_end_the_time_of_the_kernel(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        text = "def hang_early(x):\ndef brief_early(x):\n"
        scheduler.submit(job(tmp_path, recorder, "a.py", text, timeout=0.5))
        await recorder.until("finished", "a.py")
    kinds = [kind for kind, _, name in recorder.events if name == "brief_early"]
    assert kinds == ["early", "reported"]
    assert recorder.reports["hang_early"].problems[0].message == "the compiler needed more than 0.5 s"


async def test_a_crashing_kernel_costs_only_its_own_facts(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        text = "def crash_one(x):\ndef good(x):\ndef crash_two(x):\n"
        scheduler.submit(job(tmp_path, recorder, "a.py", text))
        await recorder.until("finished", "a.py")
    assert recorder.reports["crash_one"].problems[0].message == "the compiler crashed (signal 11)"
    assert recorder.reports["crash_two"].problems[0].message == "the compiler crashed (signal 11)"
    assert recorder.reports["good"].status == "analyzed"
    assert recorder.messages == []


async def test_a_kernel_that_is_skipped_is_tried_again_when_there_is_more_time(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow(x):\n", timeout=0.3))
        await recorder.until("finished", "a.py")
        assert recorder.reports["slow"].status == "failed"
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow(x):\n", timeout=10))
        await recorder.until("finished", "a.py", 2)
    assert recorder.reports["slow"].status == "analyzed"


async def test_an_obsolete_job_is_killed_and_a_warm_agent_takes_over(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "warm.py", "def warm(x):\n"))
        await recorder.until("finished", "warm.py")
        while sum(worker.idle for worker in scheduler._workers) < 2:
            await asyncio.sleep(0.02)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def hang(x):\n"))
        await recorder.until("indexed", "a.py")
        start = asyncio.get_running_loop().time()
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py")
        took = asyncio.get_running_loop().time() - start
        assert took < 0.2, "the new text waited for the old text's compile, or for a process to start"
        assert "hang" not in recorder.reports
        hung = next(entry[0] for entry in reversed(puppet.log(tmp_path)) if "hang" in str(entry))
        for _ in range(100):
            if not alive(hung):
                break
            await asyncio.sleep(0.02)
        assert not alive(hung), "nobody waits for this compile, but it goes on"


async def test_an_obsolete_job_that_ends_by_itself_keeps_its_agent_and_says_nothing(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def brief(x):\n"))
        await recorder.until("indexed", "a.py")
        scheduler.submit(job(tmp_path, recorder, "a.py", "def second(x):\n"))
        await recorder.until("finished", "a.py")
        assert len(processes(tmp_path)) == 1
    assert recorder.reports.keys() >= {"second"}
    assert [event for event in recorder.events if event[0] == "finished"] == [recorder.events[-1]]


async def test_an_obsolete_job_is_given_the_time_that_another_agent_would_take(tmp_path: Path) -> None:
    """In a large workspace that is seconds: who types there would lose one agent after the other, and what each has
    read, for a job that was about to end."""
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def slow(x):\n"))
        await recorder.until("finished", "a.py")
        scheduler.submit(job(tmp_path, recorder, "a.py", "def half(y):\n"))
        await recorder.until("indexed", "a.py", 2)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py", 2)
        assert len(processes(tmp_path)) == 1
        scheduler.submit(job(tmp_path, recorder, "a.py", "def hang(x):\n"))
        await recorder.until("indexed", "a.py", 4)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def better(x):\n"))
        await recorder.until("finished", "a.py", 3)
        assert len(processes(tmp_path)) == 2, "but no more than that"


async def test_background_work_leaves_an_agent_for_the_file_in_front(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        for name in ("a.py", "b.py", "c.py"):
            scheduler.submit(job(tmp_path, recorder, name, "def slow(x):\n", urgent=False))
        await recorder.until("indexed", "a.py")
        while len(processes(tmp_path)) < 2:
            await asyncio.sleep(0.02)
        scheduler.submit(job(tmp_path, recorder, "front.py", "def good(x):\n"))
        await recorder.until("finished", "front.py")
        assert not any(event[:2] == ("finished", "b.py") for event in recorder.events)
        await recorder.until("finished", "c.py")


async def test_an_agent_that_dies_without_a_kernel_to_blame_is_tried_twice(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "# die\n"))
        await recorder.until("failed", "a.py")
        assert recorder.events[-1][2] == "This file could not be analyzed: the compiler crashed (exit code 3)."
        scheduler.submit(job(tmp_path, recorder, "b.py", "def good(x):\n"))
        await recorder.until("finished", "b.py")


async def test_a_crash_loop_slows_down_is_reported_once_and_comes_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_ls.scheduler.backoff._FIRST", 0.02)
    monkeypatch.setattr("triton_ls.scheduler.backoff._LONGEST_WITH_WORK", 0.1)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        for number in range(8):
            scheduler.submit(job(tmp_path, recorder, f"{number}.py", "# die\n"))
        for number in range(8):
            await recorder.until("failed", f"{number}.py")
        assert len(recorder.messages) == 1
        assert "dies again and again (the compiler crashed (exit code 3))" in recorder.messages[0]
        assert scheduler.trouble == recorder.messages[0]
        assert {event[1] for event in recorder.events if event[0] == "delayed"} >= {"0.py", "5.py"}
        # That nothing more is started can only be seen by waiting, here for five times the longest pause between two
        # tries; what had begun before may still start.
        await asyncio.sleep(0.5)
        started = len(processes(tmp_path))
        await asyncio.sleep(0.5)
        assert len(processes(tmp_path)) == started, "nobody waits for it, but it is started again and again"
        # Nothing is off for good: the next job is a new try, and one that is answered ends the trouble.
        scheduler.submit(job(tmp_path, recorder, "good.py", "def good(x):\n"))
        await recorder.until("finished", "good.py")
        assert scheduler.trouble is None
        assert len(recorder.messages) == 1


async def test_an_idle_agent_that_is_killed_is_replaced(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def good(x):\n"))
        await recorder.until("finished", "a.py")
        os.kill(processes(tmp_path)[0], signal.SIGKILL)
        scheduler.submit(job(tmp_path, recorder, "a.py", "def better(x):\n"))
        await recorder.until("finished", "a.py", 2)
    assert recorder.reports["better"].status == "analyzed"
    # The new process was told what the editor shows.
    last = [entry[2] for entry in puppet.log(tmp_path) if entry[1] == "document"][-1]
    assert last["text"] == "def better(x):\n"


async def test_documents_are_sent_once_and_taken_back_when_closed(tmp_path: Path) -> None:
    recorder = Recorder()
    (tmp_path / "a.py").write_text("def on_disk(x):\n")
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        first = job(tmp_path, recorder, "a.py", "def in_editor(x):\n")
        scheduler.submit(first)
        await recorder.until("finished", "a.py")
        scheduler.submit(Job(first.file, recorder, {}, 10))
        await recorder.until("finished", "a.py", 2)
        del recorder.texts[first.file]
        scheduler.changed([first.file])
        scheduler.submit(Job(first.file, recorder, {}, 10))
        await recorder.until("finished", "a.py", 3)
    assert set(recorder.reports) == {"in_editor", "on_disk"}
    sent = [(entry[1], entry[2]) for entry in puppet.log(tmp_path) if entry[1] in ("document", "changed")]
    assert sent == [
        ("document", {"file": first.file, "text": "def in_editor(x):\n"}),
        ("changed", {"files": [first.file]}),  # at once: the agent may find out what it means for others
        ("document", {"file": first.file, "text": None}),
    ]


async def test_an_interpreter_that_does_not_exist_is_named_once_and_kernels_are_still_listed(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, interpreter=str(tmp_path / "nowhere")) as scheduler:
        text = "import triton\n\n@triton.jit\ndef kernel(x_ptr):\n    pass\n"
        scheduler.submit(job(tmp_path, recorder, "a.py", text))
        await recorder.until("finished", "a.py")
    assert ("indexed", "a.py", "") in recorder.events
    assert recorder.reports == {}
    assert len(recorder.messages) == 1
    assert "nowhere does not exist" in recorder.messages[0]
    assert "triton-ls.interpreter" in recorder.messages[0]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo Killed by the test >&2; exit 7", "ended with exit code 7. It said: Killed by the test"),
        ("echo '  SyntaxError: invalid syntax' >&2; exit 1", "is too old for triton-ls, which needs Python 3.10"),
    ],
)
async def test_an_interpreter_that_can_not_run_the_agent_is_diagnosed(
    tmp_path: Path, script: str, expected: str
) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, interpreter=puppet.interpreter(tmp_path, script)) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "import triton\n"))
        await recorder.until("finished", "a.py")
    assert len(recorder.messages) == 1
    assert expected in recorder.messages[0]


async def test_a_refused_request_for_ttir_is_an_error_with_the_agents_words(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        answer = scheduler.ask(str(tmp_path / "a.py"), Printed, {"qualname": "kernel"}, 10)
        with pytest.raises(AgentError, match="A puppet has no TTIR"):
            await asyncio.wait_for(answer, PATIENCE)


async def test_no_process_outlives_the_scheduler(tmp_path: Path) -> None:
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def hang(x):\n"))
        await recorder.until("indexed", "a.py")
    assert processes(tmp_path)
    assert not any(alive(pid) for pid in processes(tmp_path))


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
