"""The table of operations against what the installed Triton registers: an operation that it does not know must show
here first."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import cast

import pytest

from kernel_analysis.dataflow.memory.operations import OPERATIONS, ROWS
from kernel_analysis.ir import Op
from kernel_analysis.launch.bounds.integers import Arithmetic, Pointer, Truth, Value
from kernel_analysis.launch.bounds.linear_forms import Form
from kernel_analysis.launch.bounds.recording import record
from kernel_analysis.launch.bounds.touched import Path, TooHard, Touched

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)

# Registered, and never in what the front end makes of a kernel: made by later passes only.
LATER = {"amdg.masked_load", "amdg.masked_store", "tt.func"}
LATER_PREFIXES = ("scf.forall", "scf.parallel", "scf.reduce")


@pytest.fixture(scope="module")
def registered() -> set[str]:
    """All operations of the installed Triton's dialects."""
    script = FilePath(__file__).with_name("registered_operations.py")
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
@pytest.mark.slow("each operation is tried in a Triton of its own that is ended by it")
def test_every_registered_operation_has_a_row(registered: set[str]) -> None:
    assert {"tt.load", "tt.store", "tt.call"} <= registered
    unknown = {n for n in registered if ROWS[n] is None and n not in LATER and not n.startswith(LATER_PREFIXES)}
    assert unknown == set()


@pytest.mark.corpus
def test_no_row_is_invented(registered: set[str]) -> None:
    """What this Triton lacks, another supported one has: the row says which."""
    always = {name for name, row in OPERATIONS.items() if row.versions == "3.6-3.9" and name.split(".")[0] == "tt"}
    assert always - registered == set()


@dataclass
class OneOp:
    """An operation by itself, as much of it as its effects are read from."""

    name: str
    operands: list[str]
    types: list[str]
    attributes: dict[str, str] = field(default_factory=dict[str, str])


OPERANDS = 8
MEMORY = [name for name, row in OPERATIONS.items() if row.reads or row.writes]


@pytest.mark.parametrize("name", MEMORY)
def test_no_access_is_passed_over_when_buffers_are_sized(name: str) -> None:
    """What an operation accesses is bounded, was bounded where its descriptor was made, or no launch is made."""
    row = ROWS[name]
    assert row is not None
    names = [f"%{n}" for n in range(OPERANDS)]
    given: list[Value] = [(Pointer("x", Form()),) for _ in names]
    found = Touched()
    kinds = dict.fromkeys(names, "tensor<128x!tt.ptr<f32>>")
    op = OneOp(name, names, ["tensor<128xf32>"])
    if row.reaches is None:
        with pytest.raises(TooHard, match=f"how far the operation `{name}` reaches is not computed"):
            record(found, cast(Op, op), given, kinds, Path(), 1, Arithmetic())
        return
    record(found, cast(Op, op), given, kinds, Path(), 1, Arithmetic())
    assert bool(found.touches) == (row.reaches == "elements")
    if row.reaches == "elements":
        assert not row.indexed, "where it accesses memory is in one operand"
        given[row.reads[0] if row.reads else row.writes[0]] = None
        with pytest.raises(TooHard, match="does not come from a parameter"):
            record(found, cast(Op, op), given, kinds, Path(), 1, Arithmetic())


@pytest.mark.parametrize("name", [name for name in MEMORY if OPERATIONS[name].mask_from is not None])
def test_a_mask_rules_an_access_out(name: str) -> None:
    row = ROWS[name]
    assert row is not None
    assert row.mask_from is not None
    names = [f"%{n}" for n in range(OPERANDS)]
    given: list[Value] = [(Pointer("x", Form()),) for _ in names]
    given[row.mask_from] = Truth(value=False)
    found = Touched()
    kinds = dict.fromkeys(names, "tensor<128x!tt.ptr<f32>>")
    record(found, cast(Op, OneOp(name, names, ["i32"])), given, kinds, Path(), 1, Arithmetic())
    assert found.touches == []


def test_what_can_be_masked_has_a_mask() -> None:
    """An access of elements has one; polling waits for one element."""
    unmasked = {
        name for name in MEMORY if OPERATIONS[name].reaches == "elements" and OPERATIONS[name].mask_from is None
    }
    assert unmasked == {"tt.atomic_poll"}


def test_an_operation_that_nobody_knows_stops_a_launch() -> None:
    with pytest.raises(TooHard, match=r"`tt\.invented`"):
        record(Touched(), cast(Op, OneOp("tt.invented", [], [])), [], {}, Path(), 1, Arithmetic())


def test_what_holds_an_address_is_kept_in_sight() -> None:
    """What goes into memory is a value that may come back; what comes out of shared memory came from somewhere."""
    stored = {name for name, row in OPERATIONS.items() if row.stores is not None}
    assert {name for name in MEMORY if OPERATIONS[name].writes} - stored == {
        # These copy what is in shared memory, where it was seen when it was put there; the last makes no values.
        "ttng.async_tma_copy_local_to_global", "ttng.async_tma_reduce", "ttng.async_tma_scatter",
        "amdg.async_copy_local_to_global", "amdg.async_tdm_copy_local_to_global", "amdg.async_tdm_scatter",
        "ttng.tensormap_create",
    }  # fmt: skip
    assert "ttg.local_store" in stored
    lost = {name for name in MEMORY if OPERATIONS[name].reads and OPERATIONS[name].result == "none"}
    assert {name for name in lost if not OPERATIONS[name].keeps} == {"tt.descriptor_reduce", "ttng.async_tma_reduce"}
    assert all(row.result == "kept" for name, row in OPERATIONS.items() if "local_load" in name or "tmem_load" in name)


def test_memory_writes_are_those_of_the_dialects() -> None:
    writes = {name for name, row in OPERATIONS.items() if row.writes}
    assert {"tt.store", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_store", "tt.descriptor_store"} <= writes
    assert not writes & {"tt.print", "tt.assert", "tt.atomic_poll", "tt.grid_dependency_wait", "tt.load"}


def test_an_operation_beyond_the_table_is_unknown() -> None:
    assert ROWS["tt.invented"] is None
    assert ROWS["math.invented"] is not None  # arithmetic makes numbers, whatever its name
