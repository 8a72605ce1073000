"""What our front end takes shorter ways to is what Triton's own makes, for all of the corpus and for what was made to
mislead it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lowering_helpers import compiler, lower

from kernel_analysis.lowering.front import loops

start = loops.start
TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
WORKER = Path(__file__).with_name("same_worker.py")


@pytest.mark.slow("all of the corpus is compiled twice")
def test_every_module_of_the_corpus() -> None:
    done = subprocess.run([TRITON_PYTHON, str(WORKER)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["differences"] == []
    assert found["modules"] > 300


LOOPS = {
    "carried": ("acc = acc + tl.load(p + i)", True),
    "unchanged": ("acc = acc", False),
    "only stored where the flag is": ("if FLAG:\n            acc = acc + 1.0", True),
    "only stored where other things are None": ("if FLAG is None:\n            acc = acc + 1.0", True),
    "only stored under another value": ("if N == 3 or not FLAG and N < 4:\n            acc = acc + 1.0", True),
    "stored under what can't be told": ("if N + 1 > 1000:\n            acc = acc + 1.0", False),
    "swapped": ("acc, other = other, acc", True),
    "handed on": ("other = acc\n        acc = acc + 1.0", True),
    "handed on, as it was before": ("same = acc\n        acc = acc + same", False),
    "a pair": ("pair = (pair[1], pair[0])\n        tl.store(p, pair[0])", True),
    "stored first": ("fresh = tl.load(p + i)\n        acc = acc + fresh", True),
    "nested": ("for j in range(i):\n            acc += 1.0\n        for j in range(i):\n            acc -= 1.0", True),
    "a loop while": ("while n > i:\n            n = n - 1\n            acc += 1.0", True),
    "a constant": ("K: tl.constexpr = 3\n        acc = acc + K", True),
}


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[loops.Telling]:
    """Each start of the front end, as it went."""
    compiler("cuda:90")  # which starts the front end, too, to prove itself
    found: list[loops.Telling] = []
    start = loops.start

    def noting(wanted: bool) -> loops.Telling:
        found.append(start(wanted))
        return found[-1]

    monkeypatch.setattr(loops, "start", noting)
    return found


@pytest.mark.parametrize("name", LOOPS)
def test_loops(name: str, tmp_path: Path, ways: list[loops.Telling], monkeypatch: pytest.MonkeyPatch) -> None:
    body, short = LOOPS[name]
    text = f"""
@triton.jit
def kernel(p, q, n, N: tl.constexpr, FLAG: tl.constexpr):
    acc = tl.load(q)
    same = acc
    other = tl.load(q + 1)
    pair = (acc, acc + 1.0)
    for i in range(n):
        {body}
    tl.store(p, acc + other + same + pair[0])
"""
    engine: Any = compiler("cuda:90")

    def module() -> str:
        engine.forget()
        case = lower(tmp_path, text, constants={"N": 4, "FLAG": False}, p="*fp32", q="*fp32", n="i32")
        return str(case.ir and case.lowered.module)

    made = module()
    assert [way.told for way in ways] == ([True] if short else [True, False])
    monkeypatch.setattr(loops, "start", lambda wanted: start(False))
    assert made == module()


def test_an_error_in_a_loop_is_told_as_ever(tmp_path: Path, ways: list[loops.Telling]) -> None:
    text = """
@triton.jit
def kernel(p, n):
    x = 1
    for i in range(n):
        x = tl.load(p)
"""
    problem = lower(tmp_path, text, p="*fp32", n="i32").problem
    assert "Loop-carried variable x has initial type" in problem.message
    assert [way.told for way in ways] == [True, False]
