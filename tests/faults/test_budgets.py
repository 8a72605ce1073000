"""Kernels that never end, by the hundred: what they may cost a file and a folder, and what is said of the rest."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from connection import connect
from test_cli import run
from test_scheduler import Recorder, job

from triton_ls.scheduler.budget import Sweep, share

HEAD = "import triton\nimport triton.language as tl\n"
HONEST = "\n\n@triton.jit\ndef honest_{0}(out_ptr):\n    tl.store(out_ptr + {0}, 1)\n"
HOSTILE = """

@triton.jit
def hostile_{0}(out_ptr):
    for i in tl.static_range(10**9):
        for j in tl.static_range(10**9):
            tl.store(out_ptr + i, {0})
"""


def problems(result: str) -> dict[str, str]:
    """What `check --format json` says is in the way of each kernel."""
    rows = json.loads(result)["kernels"]
    return {row["name"]: " ".join(problem["message"] for problem in row["problems"]) for row in rows}


@pytest.mark.slow("kernels that never end get the time that they are allowed")
def test_a_folder_of_kernels_that_never_end_does_not_hold_up_a_check(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.triton-ls]\ntimeout = 2\nfile-budget = 2\ntotal-budget = 4\n")
    for file in range(1, 6):
        kernels = "".join(HOSTILE.format(f"{file}{n}") for n in range(20))
        (tmp_path / f"hostile_{file}.py").write_text(HEAD + HONEST.format(file) + kernels)
    (tmp_path / "honest.py").write_text(HEAD + "".join(HONEST.format(n) for n in range(100, 120)))
    start = time.monotonic()
    done = run(tmp_path, "check", ".", "--format", "json")
    took = time.monotonic() - start
    assert done.returncode == 0, done.stderr
    found = problems(done.stdout)
    assert len(found) == 5 * 21 + 20
    # The longest files come first, so that all is spent when those are looked at that have done nothing.
    assert not any(found[f"honest_{n}"] for n in [*range(1, 6), *range(100, 120)]), found
    hostile = [reason for name, reason in found.items() if name.startswith("hostile")]
    slow = sum("needed more than 2 s" in reason for reason in hostile)
    of_file = sum("the setting file-budget" in reason for reason in hostile)
    of_all = sum("the setting total-budget" in reason for reason in hostile)
    assert slow + of_file + of_all == 5 * 20
    assert 2 <= slow <= 12
    assert of_file > 10
    assert of_all > 10
    assert took < 120, "even on a machine that is busy with other things"


@pytest.mark.slow("kernels that never end get the time that they are allowed")
async def test_a_file_of_kernels_that_never_end_does_not_hold_up_the_editor(tmp_path: Path) -> None:
    settings = {"timeout": 2, "fileBudget": 3}
    async with connect(tmp_path, settings=settings) as connection:
        text = HEAD + "".join(HOSTILE.format(n) for n in range(30)) + HONEST.format(1)
        uri = connection.open("hostile.py", text)
        first, last = (text[: text.index(f"def {name}(")].count("\n") + 1 for name in ("hostile_0", "honest_1"))
        await connection.until_shown(uri, last, "not-analyzed", "the setting file-budget (triton-ls.fileBudget)")
        assert "needed more than 2 s" in await connection.until_shown(uri, first, "not-analyzed")
        # The kernel that is edited comes first, and has its own time.
        connection.insert(uri, last, 4, "# edited\n    tl.device_print('edited')\n    ")
        store = "tl.store(out_ptr + 1, 1)"
        edited = text.replace(store, f"# edited\n    tl.device_print('edited')\n    {store}")
        hover = None
        start = time.monotonic()
        while "**written** at line" not in (hover or ""):
            assert time.monotonic() - start < 20
            await asyncio.sleep(0.1)
            hover = await connection.hover_on(uri, edited, r"def honest_1\((out_ptr)", 1)


@pytest.mark.parametrize("seconds", [0.001, 0.1, 0.99, 1.0])
def test_no_number_of_ordinary_kernels_is_too_many(seconds: float, tmp_path: Path) -> None:
    sweep, asked = Sweep(agents=1), job(tmp_path, Recorder(), "a.py", "")
    asked.file_budget, asked.total_budget = 60.0, 300.0
    assert share(asked) == 1.0
    for _ in range(100_000):
        sweep.slow(asked, seconds)
    left = sweep.left(asked)
    assert left is not None
    assert left["seconds"] == 60.0


def test_each_way_to_lose_time_counts(tmp_path: Path) -> None:
    sweep, recorder = Sweep(agents=2), Recorder()
    asked, other = job(tmp_path, recorder, "a.py", ""), job(tmp_path, recorder, "b.py", "")
    for each in (asked, other):
        each.file_budget, each.total_budget = 60.0, 25.0
    sweep.slow(asked, 10.0)
    assert asked.lost == 9.0
    sweep.died(asked, 0.01)
    assert asked.lost == 10.0, "another agent has to start"
    assert sweep.lost == 5.0, "one of two agents has lost it"
    left = sweep.left(other)
    assert left is not None
    assert (left["seconds"], "total-budget" in left["reason"]) == (40.0, True)
    sweep.died(asked, 50.0)
    for each, setting in ((asked, "file-budget"), (other, "total-budget")):
        left = sweep.left(each)
        assert left is not None
        assert 0.0 < left["seconds"] < 1e-9
        assert setting in left["reason"]
        assert sweep.limit(each) == 1.0, "ordinary kernels get their facts"
        assert not each.cut
        sweep.died(each, 1.0)
        assert each.cut
        left = sweep.left(each)
        assert left is not None
        assert left["seconds"] == 0.0
