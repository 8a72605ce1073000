"""Functions of a file that all call each other, one of which sets what a text names: what each is given is looked at
once, however many ways lead there."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from host_told import told

from kernel_analysis.kernels.project import Project

SETS = "def f{n}(owner, name):\n    setattr(owner, name.lower(), 2)\n{calls}\n"
PLAIN = "def f{n}(owner, name):\n    pass\n{calls}\n"


def _text(given: str, count: int) -> str:
    calls = "".join(f"    f{n}(owner, name)\n" for n in range(count))
    parts = [(SETS if n == 0 else PLAIN).format(n=n, calls=calls) for n in range(count)]
    return f"import config\n\n{''.join(parts)}\n\nf{count - 1}({given}, 'MODE')\n"


@pytest.mark.parametrize(("given", "count"), [("[1]", 4), ("[1]", 40), ("config", 1), ("config", 2), ("config", 4)])
def test_what_they_are_given_is_found_in_time(given: str, count: int, tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text("mode = 1\n")
    (tmp_path / "sets.py").write_text(_text(given, count))
    (tmp_path / "main.py").write_text("import config\n\nmode = config.mode\n")
    start = time.process_time()
    ((value, why),) = told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", ["mode"])
    assert time.process_time() - start < 20
    assert value == 1
    assert bool(why) >= (given == "config")
