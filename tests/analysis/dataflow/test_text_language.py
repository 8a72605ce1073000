"""The table of what the language's functions do, against the installed Triton: a function that it does not know must
show here first, and none may do more than its row says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.dataflow.text import language

PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
WORKER = Path(__file__).with_name("language_worker.py")

# What kernels can't call, or what may do anything for good.
ANYTHING = {"inline_asm_elementwise", "inline_asm", "extern_elementwise", "dispatch"}
NOT_FOR_KERNELS = {
    "CONSTEXPR_0", "N_ROUNDS_DEFAULT", "Callable", "List", "Optional", "Sequence", "Tuple", "Type", "Union", "builtin",
    "constexpr_function", "contextmanager", "dataclass", "dataclass_transform", "extern", "field", "jit", "aggregate",
    "module_from_spec", "must_use_result", "warn", "warn_once", "wraps", "bases_per_dim", "warps_per_cta",
    "compute_tmem_reg_layout", "flatten_values_to_ir", "unflatten_ir_values",
}  # fmt: skip
NO_METHODS = {"KIND", "SIGNEDNESS", "codegen_name", "mangle", "to_ir", "with_element_ty"}
GLUON = "triton.experimental.gluon."
NOT_TRIED = {
    # Under that name only an error that says what it is called now.
    "async_copy_global_to_shared", "async_copy_shared_to_global", "async_copy_global_to_shared_im2col",
    # A host's descriptor of images; a list of loads.
    "async_load_im2col", "async_load_fused",
    # Into the shared memory of another block of the cluster; what only some GPUs have.
    "async_store", "atomic_poll",
}  # fmt: skip
ACCESSES = {"load": ("reads",), "store": ("writes",), "atomic_add": ("reads", "writes")}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    done = subprocess.run([PYTHON, str(WORKER)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def last(path: str) -> str:
    return path.rpartition(".")[2]


def test_every_public_function_has_a_row(found: dict[str, Any]) -> None:
    known = ANYTHING | NOT_FOR_KERNELS
    rows = {path: language.function(path) for path, is_class in found["functions"].items() if not is_class}
    assert len(rows) > 500
    assert {last(path) for path, row in rows.items() if row.anything} <= known


def test_every_method_has_a_row(found: dict[str, Any]) -> None:
    assert {name for name in found["methods"] if language.method(name).anything} <= NO_METHODS


def test_what_is_no_module_is_a_class(found: dict[str, Any]) -> None:
    assert set(found["modules"]) <= language.MODULES
    classes = {last(path) for path, is_class in found["functions"].items() if is_class}
    assert classes & language.MODULES <= {"slice"}  # of Python's kind


def test_a_type_that_is_no_pointers_is_none(found: dict[str, Any]) -> None:
    types: dict[str, bool] = found["types"]
    assert len(types) > 15
    assert {name for name, is_pointer in types.items() if not is_pointer} == language.DTYPES


def test_no_function_does_more_than_its_row_says(found: dict[str, Any]) -> None:
    tried: dict[str, dict[str, list[int]]] = found["tried"]
    compiled = [path for path, effects in tried.items() if effects["compiled"]]
    assert sum(path.startswith("triton.language.") for path in compiled) > 20
    assert sum(path.startswith(GLUON) for path in compiled) > 50
    for path, effects in tried.items():
        row = language.function(path)
        if row.anything:
            continue
        for what, operands in (("reads", row.reads), ("writes", row.writes), ("passes", row.passes)):
            if operands is not None:
                assert set(effects[what]) <= {position for position, _ in operands}, (path, what)


@pytest.mark.parametrize("language", ["triton.language.", GLUON])
@pytest.mark.parametrize("name", ACCESSES)
def test_what_accesses_memory_was_tried(found: dict[str, Any], language: str, name: str) -> None:
    tried = {path: effects for path, effects in found["tried"].items() if path.startswith(language)}
    effects = next(e for path, e in tried.items() if last(path) == name and e["compiled"])
    assert all(effects[what] == [0] for what in ACCESSES[name])


def test_what_gluon_does_to_memory_was_tried(found: dict[str, Any]) -> None:
    """By descriptors and buffers, too; a row that says that memory is accessed was seen to do so."""
    accessing: set[str] = set()
    for path in found["tried"]:
        row = language.function(path)
        if path.startswith(f"{GLUON}language.") and not row.anything and (row.reads != () or row.writes != ()):
            accessing.add(path)
    seen = {path for path, effects in found["tried"].items() if effects["reads"] or effects["writes"]}
    missing = sorted(last(path) for path in accessing - seen)
    older = {"async_gather", "async_scatter"} if not any(".cdna5." in path for path in found["tried"]) else set[str]()
    assert set(missing) <= NOT_TRIED | older, missing


@pytest.mark.parametrize("path", ["triton.language.not_there", "triton.runtime.anything", "mine.store"])
def test_what_is_in_no_row_may_do_anything(path: str) -> None:
    assert language.function(path).anything
    assert language.method("not_there").anything
