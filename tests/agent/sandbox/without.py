"""An agent, or the whole program with such agents, without some layers of its protection, for tests of the others:

    PYTHON without.py LAYERS            in place of agent/__main__.py
    PYTHON without.py LAYERS -- check FILE

LAYERS: of ``audit`` and ``system``, joined by commas, or ``none``. A script of the tests: nothing that a text or a
setting says leads here.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
AGENT = REPOSITORY / "analysis" / "kernel_analysis" / "agent" / "__main__.py"


def _agent(layers: set[str]) -> None:
    start = _first_lines()
    user_path = start._start("analysis", sys.argv[3:])
    from kernel_analysis.agent.sandbox import seal

    switch_off(seal, layers)
    if sys.argv[2:3] == ["stages"]:
        from kernel_analysis.agent.stages_process import main
    else:
        from kernel_analysis.agent.service import main
    main(user_path)


def switch_off(seal: Any, layers: set[str]) -> None:
    """``seal`` does all but these from now on."""
    if "system" in layers:
        seal.restrict_files = lambda *_: 0
        seal.restrict_calls = lambda *_: False
    if "audit" in layers:
        seal.restrict_python = lambda: False


def _first_lines() -> ModuleType:
    """What agent/__main__.py does before anything else."""
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != Path(__file__).resolve().parent]
    spec = importlib.util.spec_from_file_location("agent_first_lines", AGENT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _program(layers: str, arguments: list[str]) -> int:
    from triton_ls.agents import agent_process
    from triton_ls.cli import main

    start = agent_process.command
    agent_process.command = lambda environment, kind="analysis": [start(environment)[0], "-S", __file__, layers, kind]
    sys.argv = ["triton-ls", *arguments]
    return main()


if __name__ == "__main__":
    if sys.argv[2:3] == ["--"]:
        sys.exit(_program(sys.argv[1], sys.argv[3:]))
    _agent(set(sys.argv[1].split(",")))
