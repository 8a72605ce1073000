"""``triton-ls``, but for agents with some of their protections switched off: ``ATTACKS_WITHOUT=gate,audit,system``.

Started as a program of its own; the server's own part is as it always is.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

from triton_ls.agents import agent_process, launch
from triton_ls.agents.launch import Environment
from triton_ls.cli import main

AGENT = Path(__file__).with_name("open_agent.py")
_command = launch.command


def command(environment: Environment, kind: Literal["analysis", "stages"] = "analysis") -> list[str]:
    interpreter, option, _, *rest = _command(environment, kind)
    return [interpreter, option, str(AGENT), os.environ["ATTACKS_WITHOUT"], *rest]


launch.command = agent_process.command = command

if __name__ == "__main__":
    sys.exit(main())
