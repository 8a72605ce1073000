"""Every operation has its place in the user's own file and line, under every Triton that is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lowering_helpers import HEAD

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
HELPER = """
@triton.jit
def put(p, x):
    if x > 0:
        return x
    tl.store(
        p,
        x,
    )
    return x

@triton.jit
def add(a, b):
    return a + b
"""
KERNEL = """
import deep

@triton.jit(
    do_not_specialize=["n"],
)
def kernel(x_ptr, y_ptr, n, N: tl.constexpr):
    offs = tl.arange(0, N)
    x = tl.load(x_ptr + offs, mask=offs < n,
                other=0); tl.store(y_ptr + offs, x + 1, mask=offs < n)
    for i in range(n):
        if i > 2:
            tl.atomic_add(y_ptr + i,
                          1)
    s = tl.sum(x, axis=0) + tl.reduce(x, 0, deep.add)
    deep.put(y_ptr, s)
    tl.debug_barrier()
    while s > n:
        tl.store(y_ptr, 2)
        s -= 1
"""


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    folder = tmp_path_factory.mktemp("places")
    (folder / "deep.py").write_text(HEAD + HELPER, encoding="utf-8")
    (folder / "kernels.py").write_text(HEAD + KERNEL, encoding="utf-8")
    worker = Path(__file__).with_name("places_worker.py")
    command = [TRITON_PYTHON, str(worker), str(folder), "x_ptr=*i32", "y_ptr=*i32", "n=i32"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [(name, text) for name, text in json.loads(done.stdout)]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("operation", "places"),
    [
        ("tt.load", ["tl.load(x_ptr + offs, mask=offs < n, other=0)"]),
        ("tt.store", ["tl.store( p, x, )", "tl.store(y_ptr + offs, x + 1, mask=offs < n)", "tl.store(y_ptr, 2)"]),
        ("tt.atomic_rmw", ["tl.atomic_add(y_ptr + i, 1)"]),
        ("tt.make_range", ["tl.arange(0, N)"]),
        ("ttg.barrier", ["tl.debug_barrier()"]),
    ],
)
def test_places(placed: list[tuple[str, str]], operation: str, places: list[str]) -> None:
    found = [text for name, text in placed if name == operation]
    if operation == "ttg.barrier":  # earlier versions call it gpu.barrier
        found += [text for name, text in placed if name == "gpu.barrier"]
    assert found == places


@pytest.mark.corpus
def test_calls_stand_where_they_are_made(placed: list[tuple[str, str]]) -> None:
    calls = [text for name, text in placed if name == "tt.call"]
    assert "deep.put(y_ptr, s)" in calls
    assert any(text.startswith("tl.sum(x, axis=0)") for text in calls)


@pytest.mark.corpus
def test_only_the_library_stands_nowhere(placed: list[tuple[str, str]]) -> None:
    nowhere = {name for name, text in placed if text == "(nowhere)"}
    assert not nowhere & {"tt.load", "tt.store", "tt.atomic_rmw", "scf.for", "scf.while", "scf.if", "cf.cond_br"}
