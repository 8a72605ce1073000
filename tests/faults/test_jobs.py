"""Whatever goes wrong in the scheduler, or in what it is told: every job ends, and the next one is answered.

Faults of our own are put in by the tests, one for each place that a job passes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import puppet
import pytest
from test_cli import run
from test_scheduler import Recorder, job, processes, scheduling

from kernel_analysis.wire import Printed
from triton_ls import reports
from triton_ls.agents.agent_process import Agent, AgentError
from triton_ls.scheduler.budget import Sweep
from triton_ls.scheduler.worker import Worker
from triton_ls.server import TritonServer

PATIENCE = 30
MISSING = ModuleNotFoundError("No module named 'cattrs'")


def _raise(*arguments: Any, **named: Any) -> Any:
    raise MISSING


PLACES: list[tuple[object, str]] = [
    (Agent, "start"),
    (Agent, "show_documents"),
    (Agent, "request"),
    (reports, "message"),
    (reports, "identity"),
    (reports, "said"),
    (reports, "reply"),
    (Worker, "run"),
    (Worker, "_notified"),
    (Worker, "_analyze"),
    (Sweep, "left"),
    (Sweep, "slow"),
    (Recorder, "indexed"),
    (Recorder, "reported"),
    (Recorder, "finished"),
]


def ended(recorder: Recorder, kind: str = "failed") -> set[str]:
    return {file for what, file, _ in recorder.events if what == kind}


@pytest.mark.parametrize(("owner", "name"), PLACES, ids=lambda value: getattr(value, "__name__", value))
async def test_an_unexpected_exception_costs_the_jobs_that_it_hits_their_answers(
    owner: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_ls.scheduler.backoff._FIRST", 0.02)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        with monkeypatch.context() as broken:
            broken.setattr(owner, name, _raise)
            for number in range(3):
                scheduler.submit(job(tmp_path, recorder, f"{number}.py", "def good(x):\n"))
            await asyncio.wait_for(scheduler.drained(), PATIENCE)
            assert ended(recorder) == {"0.py", "1.py", "2.py"}
            assert scheduler.failures
            assert any("No module named 'cattrs'" in message for message in recorder.messages)
            assert (await asyncio.wait_for(asyncio.shield(scheduler.identity), 5)) is not None
        # Once it is over, all is as before.
        for number in range(3):
            scheduler.submit(job(tmp_path, recorder, f"{number}.py", "def better(x):\n"))
        await asyncio.wait_for(scheduler.drained(), PATIENCE)
        assert ended(recorder, "finished") == {"0.py", "1.py", "2.py"}
        assert recorder.reports["better"].status == "analyzed"
    assert not any(psutil.pid_exists(pid) for pid in processes(tmp_path))


@pytest.mark.parametrize("name", ["failed", "delayed"])
async def test_who_fails_on_being_told_of_a_failure_costs_nobody_else_the_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_ls.scheduler.backoff._FIRST", 0.02)
    monkeypatch.setattr("triton_ls.scheduler.backoff._LONGEST_WITH_WORK", 0.1)
    monkeypatch.setattr(Recorder, name, _raise)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "good.py", "def good(x):\n"))
        for number in range(3):
            scheduler.submit(job(tmp_path, recorder, f"{number}.py", "# die\n"))
        await asyncio.wait_for(scheduler.drained(), PATIENCE)
        assert ended(recorder, "finished") == {"good.py"}


async def test_a_user_who_can_not_be_told_costs_nobody_the_answer(tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.messages = Deaf()
    async with scheduling(tmp_path, recorder, interpreter=str(tmp_path / "nowhere")) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "import triton\n"))
        await asyncio.wait_for(scheduler.drained(), PATIENCE)
    assert ended(recorder, "finished") == {"a.py"}


class Deaf(list[str]):
    def append(self, item: str) -> None:
        raise BrokenPipeError


async def test_what_nobody_waits_for_is_told_to_the_user_once(monkeypatch: pytest.MonkeyPatch) -> None:
    server = TritonServer()
    told: list[str] = []
    monkeypatch.setattr(server, "window_show_message", lambda params: told.append(params.message))
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(server.unhandled)
    for _ in range(3):
        loop.call_soon(_raise)
    await asyncio.sleep(0)
    (message,) = told
    assert "No module named 'cattrs'" in message


LINES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is no message"),
    "text": (b"Segmentation fault", "is no message"),
    "bytes": (b"\xff\xfe\x00\x80", "is no message"),
    "null": (b"null", "is no message"),
    "list": (b"[1, 2]", "is no message"),
    "number": (b"3", "is no message"),
    "no method": (b'{"jsonrpc":"2.0"}', "is no message"),
    "a method that is none": (b'{"method": 3, "params": {}}', "is no message"),
    "params that are none": (b'{"method": "kernel", "params": [1]}', "is no message"),
    "an id that is none": (b'{"id": [1], "result": {}}', "is no message"),
    "an error without a message": (b'{"id": 2, "error": {}}', "is no message"),
    "an error that is none": (b'{"id": 2, "error": 3}', "is no message"),
    "nested": (b"[" * 200_000, "is no message"),
    "half": (b'{"method": "kernel", "par', "is no message"),
    "index": (b'{"method": "index", "params": {"generation": GENERATION}}', "gave no `index`"),
    "kernel": (b'{"method": "kernel", "params": {"generation": GENERATION, "report": {"key": 1}}}', "gave no `kernel`"),
    "early": (b'{"method": "early", "params": {"generation": GENERATION, "report": null}}', "gave no `early`"),
    "started": (b'{"method": "started", "params": {"generation": GENERATION}}', "gave no `started`"),
    "outdated": (b'{"method": "outdated", "params": {}}', "gave no `outdated`"),
    "reply": (b'{"id": REQUEST, "result": 3}', "gave no Reply"),
}


STUCK = ["text", "kernel"]
"""Of these also where nothing follows."""


@pytest.mark.parametrize(
    ("name", "after"), [*((name, "") for name in LINES), *((name, "# no answer\n") for name in STUCK)]
)
async def test_a_line_that_is_no_message_costs_its_request(
    name: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_ls.scheduler.backoff._FIRST", 0.02)
    line, reason = LINES[name]
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, size=1, reserve=0) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "bad.py", f"# write {line!r}\n{after}def good(x):\n", timeout=2))
        scheduler.submit(job(tmp_path, recorder, "good.py", "def good(x):\n", timeout=2, urgent=False))
        await asyncio.wait_for(scheduler.drained(), 10)
        assert ended(recorder, "failed") == {"bad.py"}
        assert ended(recorder, "finished") == {"good.py"}
        (message,) = (detail for kind, _, detail in recorder.events if kind == "failed")
        assert reason in message
        assert len(message) < 500
        assert recorder.messages == []
        if not after:
            assert len(processes(tmp_path)) == 1, "the agent was well"
        scheduler.submit(job(tmp_path, recorder, "bad.py", "def better(x):\n"))
        await recorder.until("finished", "bad.py")
    assert recorder.reports["better"].status == "analyzed"


async def test_a_report_that_can_not_be_read_costs_its_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an agent of another version would give it."""
    real: Callable[[str, dict[str, Any]], Any] = reports.said

    def strict(method: str, params: dict[str, Any]) -> Any:
        report = params.get("report", {})
        if report.get("name") == "odd" and report["status"] == "analyzed":
            raise reports.Malformed("the analysis gave no KernelReport that triton-ls can read")
        return real(method, params)

    monkeypatch.setattr(reports, "said", strict)
    recorder = Recorder()
    async with scheduling(tmp_path, recorder) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "def one(x):\ndef odd(x):\ndef two(x):\n"))
        await recorder.until("finished", "a.py")
    assert "gave no KernelReport" in recorder.reports["odd"].problems[0].message
    assert recorder.reports["one"].status == recorder.reports["two"].status == "analyzed"


@pytest.mark.parametrize("line", [b"", b"nonsense", b'{"id": 1, "error": 3}', b'{"id": 1, "result": 3}'])
async def test_a_first_answer_that_makes_no_sense_is_a_reason_not_to_start(line: bytes, tmp_path: Path) -> None:
    program = tmp_path / "agent.py"
    program.write_text(
        f"import sys, time\nsys.stdout.buffer.write({line!r} + b'\\n')\nsys.stdout.flush()\ntime.sleep(99)\n"
    )
    interpreter = puppet.interpreter(tmp_path, program=str(program))
    recorder = Recorder()
    async with scheduling(tmp_path, recorder, interpreter=interpreter) as scheduler:
        scheduler.submit(job(tmp_path, recorder, "a.py", "import triton\n"))
        answer = scheduler.ask(str(tmp_path / "a.py"), Printed, {"qualname": "kernel"}, 10)
        await asyncio.wait_for(scheduler.drained(), PATIENCE)
        assert answer.done()
        assert isinstance(answer.exception(), AgentError)
        assert len(recorder.messages) == 1
        assert "could not be started" in recorder.messages[0]


async def test_who_speaks_before_it_is_asked_makes_no_sense_either() -> None:
    """On a busy machine an agent's first words come before the first question."""
    text = "import sys, time; print('nonsense', flush=True); print('said', file=sys.stderr, flush=True); time.sleep(99)"
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", text, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
    )
    agent = Agent(process)
    while not agent.log_tail:
        await asyncio.sleep(0.01)
    with pytest.raises(reports.Malformed, match="nonsense"):
        await asyncio.wait_for(agent.request("initialize", {}), PATIENCE)
    await agent.close()


@pytest.mark.parametrize("command", ["check", "explain", "ttir"])
def test_a_missing_module_ends_a_command_with_2_and_a_sentence(command: str, tmp_path: Path) -> None:
    """cattrs reads the agents' answers, and is first needed when there is one."""
    (installed := tmp_path / "installed").mkdir()
    (installed / "cattrs.py").write_text("raise ModuleNotFoundError(\"No module named 'cattrs'\")\n")
    (tmp_path / "kernels.py").write_text("import triton\n\n\n@triton.jit\ndef kernel(x_ptr):\n    pass\n")
    done = run(tmp_path, command, "kernels.py" if command == "check" else "kernels.py:kernel", before=installed)
    assert done.returncode == 2
    assert "No module named 'cattrs'" in done.stderr
    assert done.stderr.startswith("triton-ls: The analysis could not be started")
