"""What an edit costs against the bare compiler, what the analysis costs, and how it grows. By hand: ``make bench``.

Everything is measured in one run, in turns, through the agent's and the server's real pipes. Prints Markdown.
"""

from __future__ import annotations

import os
import platform
import tempfile
import time
from pathlib import Path

from editing import edits, hover
from larger_kernels import growth, texts
from processes import Agent, Bare


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "workspace"
        root.mkdir()
        # The same settings for everybody: nothing waits, nothing is remembered from an earlier run.
        (root / "pyproject.toml").write_text("[tool.triton-ls]\ndebounce = 0\ncache = false\n", encoding="utf-8")
        bare, agent = Bare(), Agent(root)
        machine = f"{platform.machine()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the start"
        print(f"# Benchmark\n\n{time.strftime('%Y-%m-%d')}, Python {platform.python_version()}, {machine}.")
        edits(bare, agent, root)
        hover(root)
        growth(bare, agent, root)
        texts(agent, root)
        bare.close()
        agent.close()


if __name__ == "__main__":
    main()
