"""``config-compile-error``: what Triton says of programs, and when the compiling is done: while nobody waits."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from agent.process import Agent
from contracts.test_contracts import programs, run

pytest.importorskip("torch")

CODE = "config-compile-error"
HEAD = """import torch
import triton
import triton.language as tl


@triton.autotune(configs=[
    triton.Config({"BLOCK": 64}),
    triton.Config({"BLOCK": 96}),
    triton.Config({"BLOCK": 128}, num_warps=3),
], key=["n"])
@triton.jit
def tuned(x, n, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(x + offs, 1.0, mask=offs < n)


@triton.jit
def plain(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


def launch(x):
    plain[(1,)](x, BLOCK=100)
"""


def lines(findings: list[dict[str, object]]) -> list[tuple[str, int]]:
    spans = [json.loads(json.dumps(f["span"])) for f in findings]
    found = [(str(f["code"]), span["line"]) for f, span in zip(findings, spans, strict=True)]
    return [(code, line) for code, line in found if code in (CODE, "compile-error")]


def outdated(agent: Agent) -> list[str]:
    """Waits for what the agent finds out by itself."""
    assert agent.process.stdout is not None
    for line in agent.process.stdout:
        message = json.loads(line)
        if message.get("method") == "outdated":
            return message["params"]["files"]
    raise EOFError


@pytest.mark.slow("torch is imported, and each program of a page is run")
def test_programs_as_triton_sees_them(tmp_path: Path) -> None:
    cases = programs("configs")
    files: list[Path] = []
    for number, case in enumerate(cases):
        files.append(tmp_path / f"program_{number}.py")
        files[-1].write_text(case.text)
    raised, wrong = run(files), list[str]()
    with Agent(tmp_path, patient=True) as agent:
        for case, file in zip(cases, files, strict=True):
            findings = agent.analyze(file).findings
            errors = {f["code"] for f in findings if f["severity"] in ("error", "warning")}
            real = raised[str(file)]
            if (real is not None) != (case.verdict == "refused"):
                wrong.append(f"{case.name}: the page says {case.verdict}, Triton: {real}")
            if errors != ({case.code} if case.code is not None else set()):
                said = [(f["code"], f["message"]) for f in findings if f["severity"] != "hint"]
                wrong.append(f"{case.name}: the page says {case.code}, triton-ls: {said}")
    assert not wrong, "\n".join(wrong)


def test_configs_compile_while_nobody_waits(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(HEAD)
    with Agent(tmp_path) as agent:
        # What keeps the kernel itself from compiling is looked into at once: it is no error of the kernel's.
        first = agent.analyze(file)
        assert lines(first.findings) == [(CODE, 23)]
        assert first.reports["plain"]["status"] == "analyzed"
        assert outdated(agent) == [str(file)]
        again = agent.analyze(file)
        assert sorted(lines(again.findings)) == [(CODE, 8), (CODE, 9), (CODE, 23)]
        assert all(report["status"] == "analyzed" for report in again.reports.values())
        # It is said once that there is more to know, and what is known needs no compiler.
        agent.notify("document", {"file": str(file), "text": HEAD + "\n# more\n"})
        edited = agent.analyze(file)
        assert sorted(lines(edited.findings)) == [(CODE, 8), (CODE, 9), (CODE, 23)]
        assert edited.result["compiles"] == 0
        fixes = [fix["title"] for f in edited.findings if f["code"] == CODE for fix in f["fixes"]]
        assert [title for title in fixes if title.startswith("Write")] == [
            "Write `BLOCK=128`", "Write `num_warps=4`", "Write `BLOCK=128`",
        ]  # fmt: skip


@pytest.mark.alone
def test_an_edit_waits_for_no_config(tmp_path: Path) -> None:
    """Configs that take long are given up as soon as somebody asks for something."""
    body = "\n".join(f"    v = v * {n}.5 + tl.sum(v, axis=0)" for n in range(300))
    configs = ", ".join(f'triton.Config({{"BLOCK": {1 << n}}})' for n in range(4, 14))
    text = (
        "import triton\nimport triton.language as tl\n\n\n"
        f'@triton.autotune(configs=[{configs}], key=["n"])\n@triton.jit\n'
        f"def slow(x, n, BLOCK: tl.constexpr):\n    v = tl.load(x + tl.arange(0, BLOCK))\n{body}\n"
        "    tl.store(x + tl.arange(0, BLOCK), v)\n"
    )
    file = tmp_path / "kernels.py"
    file.write_text(text)
    with Agent(tmp_path) as agent:
        started = time.monotonic()
        agent.analyze(file)
        compiling = time.monotonic() - started
        times: list[float] = []
        for number in range(5):
            time.sleep(0.3)  # a pause between two edits, in which the agent goes on with the configs
            agent.notify("document", {"file": str(file), "text": text + f"# {number}\n"})
            started = time.monotonic()
            agent.analyze(file)
            times.append(time.monotonic() - started)
        assert min(times) < compiling / 3, (times, compiling)


def test_silenced(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(HEAD.replace("BLOCK=100)", f"BLOCK=100)  # triton-ls: ignore[{CODE}]"))
    with Agent(tmp_path, patient=True) as agent:
        assert sorted(lines(agent.analyze(file).findings)) == [(CODE, 8), (CODE, 9)]
        assert lines(agent.analyze(file, severity={CODE: "off"}).findings) == [("compile-error", 19)]
