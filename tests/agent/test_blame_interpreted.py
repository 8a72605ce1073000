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
