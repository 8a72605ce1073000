"""What the rules about launches, autotuners and torch ops say of small programs, against what Triton and torch say when
these run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.report import Finding
from kernel_analysis.rules import OF_A_FILE, file_findings
from kernel_analysis.rules.subject import FileSubject

pytest.importorskip("torch")

HERE = Path(__file__).parent
_BLOCK = re.compile(r"^```python ([^\n]*)\n(.*?)^```$", re.M | re.S)
_CODES = {code for code, _ in OF_A_FILE} - {"not-analyzed"}  # which claims nothing


@dataclass(frozen=True)
class Program:
    name: str
    verdict: str
    code: str | None
    text: str


def programs(page: str) -> list[Program]:
    shared, found = "", []
    text = (HERE / f"{page}.md").read_text()
    for match in _BLOCK.finditer(text):
        verdict, _, code = match[1].partition(" ")
        line = text.count("\n", 0, match.start()) + 1
        if verdict == "shared":
            shared += match[2] + "\n\n"
        else:
            found.append(Program(f"{page}:{line}", verdict, code or None, shared + match[2]))
    return found


def claims(project: Project, file: Path) -> list[Finding]:
    module = project.module(str(file))
    return [f for f in file_findings(FileSubject(project, module), {}) if f.code in _CODES]


def run(files: list[Path]) -> dict[str, str | None]:
    """What each program raises."""
    environment = {k: v for k, v in os.environ.items() if k != "TRITON_INTERPRET"}
    command = [sys.executable, str(HERE / "child.py"), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(replies) == len(files), done.stderr
    return {reply["file"]: reply["raised"] for reply in replies}


@pytest.mark.parametrize("page", ["launches", "ops", "spellings"])
@pytest.mark.slow("torch is imported, and each program of a page is run")
def test_programs_as_triton_and_torch_see_them(tmp_path: Path, page: str) -> None:
    cases = programs(page)
    files: list[Path] = []
    for number, case in enumerate(cases):
        files.append(tmp_path / f"program_{number}.py")
        files[-1].write_text(case.text)
    raised = run(files)
    project = Project([str(tmp_path)], sys.path)
    wrong: list[str] = []
    for case, file in zip(cases, files, strict=True):
        found = claims(project, file)
        errors = {f.code for f in found if f.severity in ("error", "warning")}
        real = raised[str(file)]
        if (real is not None) != (case.verdict == "refused"):
            wrong.append(f"{case.name}: the page says {case.verdict}, Triton: {real}")
        if errors != ({case.code} if case.code is not None else set()):
            wrong.append(f"{case.name}: the page says {case.code}, triton-ls: {[(f.code, f.message) for f in found]}")
    assert not wrong, "\n".join(wrong)
    assert 0.3 < sum(case.verdict == "fine" for case in cases) / len(cases) < 0.6
