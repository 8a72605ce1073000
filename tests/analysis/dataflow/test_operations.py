"""The table of operations against what the installed Triton registers: an operation that it does not know must show
here first."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernel_analysis.dataflow.operations import OPERATIONS, ROWS

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)

# Registered, and never in what the front end makes of a kernel: made by later passes only.
LATER = {"amdg.masked_load", "amdg.masked_store", "tt.func"}
LATER_PREFIXES = ("scf.forall", "scf.parallel", "scf.reduce")


@pytest.fixture(scope="module")
def registered() -> set[str]:
    """All operations of the installed Triton's dialects."""
    script = Path(__file__).with_name("registered_operations.py")
    done = subprocess.run(
        [TRITON_PYTHON, str(script)],
        input="\n".join(OPERATIONS),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.corpus
def test_every_registered_operation_has_a_row(registered: set[str]) -> None:
    assert {"tt.load", "tt.store", "tt.call"} <= registered
    unknown = {n for n in registered if ROWS[n] is None and n not in LATER and not n.startswith(LATER_PREFIXES)}
    assert unknown == set()


@pytest.mark.corpus
def test_no_row_is_invented(registered: set[str]) -> None:
    """What this Triton lacks, another supported one has: the row says which."""
    always = {name for name, row in OPERATIONS.items() if row.versions == "3.6-3.9" and name.split(".")[0] == "tt"}
    assert always - registered == set()


def test_memory_writes_are_those_of_the_dialects() -> None:
    writes = {name for name, row in OPERATIONS.items() if row.writes}
    assert {"tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_store", "tt.descriptor_store"} <= writes
    assert not writes & {"tt.print", "tt.assert", "tt.atomic_poll", "tt.grid_dependency_wait", "tt.load"}


def test_an_operation_beyond_the_table_is_unknown() -> None:
    assert ROWS["tt.invented"] is None
    assert ROWS["math.invented"] is not None  # arithmetic makes numbers, whatever its name
