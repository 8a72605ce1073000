"""What README.md prints is what the commands print."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r"in \d+\.\d+ s \(Triton [\d.]+")


def sessions() -> list[tuple[str, list[str]]]:
    """Each command, and the pieces of its output between the dots."""
    found: list[tuple[str, list[str]]] = []
    for block in CONSOLE.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        for session in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            found.append((command, [piece.strip("\n") for piece in re.split(r"^\.\.\.$", output, flags=re.MULTILINE)]))
    return found


@pytest.mark.parametrize(("command", "pieces"), sessions(), ids=[command for command, _ in sessions()])
@pytest.mark.slow("what the README says is printed is printed")
def test_printed_output(command: str, pieces: list[str]) -> None:
    program, *arguments = shlex.split(command)
    assert program == "triton-ls"
    line = [sys.executable, "-m", "triton_ls", *arguments]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr
    rest = TIME.sub("in ... s (Triton ...", done.stdout)
    assert any(pieces)
    for piece in pieces:
        before, found, rest = rest.partition(TIME.sub("in ... s (Triton ...", piece))
        assert found == TIME.sub("in ... s (Triton ...", piece), f"not printed (any more):\n{piece}\n\nafter\n{before}"
