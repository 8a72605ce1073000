"""What the compiler refuses and Triton's interpreter runs is no error where that is what a kernel is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kernels import HEAD
from agent.process import Agent

KERNEL = "@triton.jit\ndef k(p):\n    import pdb\n    tl.store(p, tl.program_id(0)[0])\n"
LAUNCH = "\n\ndef launch(x):\n    k[(1,)](x)\n"
SETS = {
    "environment": 'import os\nos.environ["TRITON_INTERPRET"] = "1"\n',
    "default": 'import os\nos.environ.setdefault("TRITON_INTERPRET", "1")\n',
    "putenv": 'import os\nos.putenv("TRITON_INTERPRET", "1")\n',
    "fixture": 'def fix(monkeypatch):\n    monkeypatch.setenv("TRITON_INTERPRET", "1")\n',
    "knob": "import triton\ntriton.knobs.runtime.interpret = True\n",
    "process": 'import subprocess\nsubprocess.run(["python", __file__], env={"TRITON_INTERPRET": "1"})\n',
}
ASKS = {
    "get": 'import os\nON = os.environ.get("TRITON_INTERPRET") == "1"\n',
    "item": 'import os\nON = os.environ["TRITON_INTERPRET"]\n',
    "in": 'import os\nON = "TRITON_INTERPRET" in os.environ\n',
    "knob": "import triton\nON = triton.knobs.runtime.interpret\n",
}


def codes(agent: Agent, file: Path, text: str) -> set[str]:
    return {problem["code"] for problem in agent.show(file, text).reports["k"]["problems"]}


@pytest.mark.parametrize("way", list(SETS))
def test_whoever_launches_it_has_it_interpreted(agent: Agent, root: Path, way: str) -> None:
    assert codes(agent, root / f"set_{way}.py", SETS[way] + HEAD + KERNEL + LAUNCH) == {"not-analyzed"}


@pytest.mark.parametrize("way", list(ASKS))
def test_who_asks_for_it_may_compile_what_it_launches(agent: Agent, root: Path, way: str) -> None:
    assert codes(agent, root / f"asks_{way}.py", ASKS[way] + HEAD + KERNEL + LAUNCH) == {"compile-error"}


@pytest.mark.parametrize("way", list(ASKS))
def test_what_nobody_launches_beside_that_may_be_for_it(agent: Agent, root: Path, way: str) -> None:
    assert codes(agent, root / f"alone_{way}.py", ASKS[way] + HEAD + KERNEL) == {"not-analyzed"}


def test_elsewhere_it_is_an_error(agent: Agent, root: Path) -> None:
    assert codes(agent, root / "plain.py", HEAD + KERNEL) == {"compile-error"}


@pytest.mark.slow("two agents, each with another file beside the kernel's")
def test_what_pytest_imports_before_the_launch_sets_it(tmp_path: Path) -> None:
    """Python's own functions are there then, too."""
    folder = tmp_path / "tests"
    folder.mkdir()
    kernel = HEAD + "@triton.jit\ndef k(p):\n    breakpoint()\n    tl.store(p, 1)\n"
    (tmp_path / "kernels.py").write_text(kernel)
    (folder / "test_k.py").write_text("from kernels import k\n\n\ndef test_it(x):\n    k[(1,)](x)\n")
    severities = []
    for text in ("", SETS["environment"]):
        (folder / "conftest.py").write_text(text)
        with Agent(tmp_path, patient=True) as agent:
            severities.append({one["severity"] for one in agent.analyze(tmp_path / "kernels.py").findings})
    assert severities == [{"error"}, {"information"}]
