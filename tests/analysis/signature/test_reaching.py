"""Signatures made so that tests go the ways that somebody wants to see."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import Signature
from kernel_analysis.signature.variants.reaching import Reaching, Wanted
from kernel_analysis.source.slice import NamedTupleValue, Slice

TEXT = """
from typing import NamedTuple

import triton
import triton.language as tl

WIDE: tl.constexpr = 4


class Config(NamedTuple):
    on: bool
    turns: int


@triton.jit
def kernel(a_ptr: "*fp32", o_ptr, n: "i32", A: tl.constexpr = False, B: tl.constexpr = False, N: tl.constexpr = 1,
           MODE: tl.constexpr = "sum", BLOCK: tl.constexpr = 64, pair=(1.0, 2.0), C: tl.constexpr = Config(True, 1)):
    if o_ptr is None:
        tl.store(a_ptr, 1.0)
    if A:
        tl.store(a_ptr, N)
    if N == WIDE:
        tl.store(a_ptr, 2.0)
    if B and MODE == "max":
        tl.store(a_ptr, BLOCK)
    if C.on and len(pair) > 1:
        tl.store(a_ptr, pair[0])
"""


def made(folder: Path, wanted: list[tuple[str, bool]]) -> Signature | None:
    slice_, known = inferred(folder)
    tests: list[Wanted] = [(ast.parse(test, mode="eval").body, way) for test, way in wanted]
    return Reaching(slice_).signature(known[:1], tests)


def inferred(folder: Path) -> tuple[Slice, list[Signature]]:
    file = folder / "kernels.py"
    file.write_text(TEXT, encoding="utf-8")
    project = Project([str(folder)], [str(folder)])
    function = project.module(str(file)).functions[0]
    slice_ = cut(project, function)
    return slice_, infer(project, function, slice_)


@pytest.mark.parametrize(
    ("wanted", "constants"),
    [
        ([("A", True)], {"A": True}),
        ([("A", True), ("B", True)], {"A": True, "B": True}),
        ([("A", True), ("not B", False), ("N > 3", True)], {"A": True, "B": True, "N": 4}),
        ([("N > 1", True), ("N > 2", True), ("N > 5", True), ("N > 40", True)], {"N": 64}),
        ([('MODE == "max"', True), ("B", True)], {"MODE": "max", "B": True}),
        ([('MODE != "sum"', True)], {"MODE": "other"}),
        ([("N == WIDE", True)], {"N": 4}),
        ([("BLOCK % 128 == 0", True)], {"BLOCK": 128}),
        ([("(N > 3) == (MODE == 'max')", False)], {"N": 4}),
        ([("(N != 1) != (MODE == 'max')", True)], {"N": 2}),
    ],
)
def test_reached(tmp_path: Path, wanted: list[tuple[str, bool]], constants: dict[str, Any]) -> None:
    found = made(tmp_path, wanted)
    assert found is not None
    assert {name: found.constants[name] for name in constants} == constants
    before = inferred(tmp_path)[1][0]
    # All else stays, and what is changed is a guess.
    assert {n: v for n, v in found.constants.items() if n not in constants} == {
        n: v for n, v in before.constants.items() if n not in constants
    }
    assert all(not found.evidence[name].certain for name in constants)


def test_no_pointer_is_passed(tmp_path: Path) -> None:
    found = made(tmp_path, [("o_ptr is None", True)])
    assert found is not None
    assert (found.types["o_ptr"], found.constants["o_ptr"]) == ("constexpr", None)


def test_items_of_a_constant(tmp_path: Path) -> None:
    """Each by itself, and the others stay."""
    found = made(tmp_path, [("not C.on", True)])
    assert found is not None
    assert found.constants["C"] == NamedTupleValue("Config", ("on", "turns"), (False, 1))
    found = made(tmp_path, [("not C.on", True), ("C.turns > 3", True), ("C.turns != 4", True)])
    assert found is not None
    assert isinstance(config := found.constants["C"], NamedTupleValue)
    assert config.values == (False, 8)
    assert made(tmp_path, [("C.turns == 3", True), ("C.turns == 2", True)]) is None


def test_how_many(tmp_path: Path) -> None:
    """With how many warps it is launched, and how long a tuple is, are no values of parameters."""
    found = made(tmp_path, [("cuda.num_warps() == 8", True), ("A", True)])
    assert found is not None
    assert (found.launch.given, found.constants["A"]) == ({"num_warps": 8}, True)
    assert made(tmp_path, [("cuda.num_warps() == 8", False)]) is None  # it was compiled like that
    found = made(tmp_path, [("len(pair) > 2", True)])
    assert found is not None
    assert len(found.types["pair"]) == 3
    assert made(tmp_path, [("len(pair) > 0", True)]) is None
    assert made(tmp_path, [("len(pair) > 100", True)]) is None


@pytest.mark.parametrize(
    "wanted",
    [
        [("A", True), ("A", False)],
        [("N == 2", True), ("N == 3", True)],
        [("N * N == -1", True)],
        [("n == 4", True)],  # passed as a number, so it is no constant
        [("a_ptr is None", True)],  # it is annotated to be a pointer
        [("A", False)],  # it was compiled like that
        [("unheard_of(A)", True)],
    ],
)
def test_not_reached(tmp_path: Path, wanted: list[tuple[str, bool]]) -> None:
    assert made(tmp_path, wanted) is None


def test_what_one_of_several_has(tmp_path: Path) -> None:
    """A value that others passed is taken before one that is made up; each test is asked once for the same values."""
    slice_, known = inferred(tmp_path)
    other = Signature(known[0].types, {**known[0].constants, "MODE": "max"}, known[0].evidence)
    reaching = Reaching(slice_)
    test = ast.parse('MODE != "sum"', mode="eval").body
    found = reaching.signature([known[0], other], [(test, True)])
    assert found is not None
    assert found.constants["MODE"] == "max"
    again = reaching.signature([known[0], other], [(test, True)])
    assert again == found
