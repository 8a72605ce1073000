"""What we read of printed modules is what Triton's own bindings say of them, under every Triton that is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernel_analysis.lowering.printed.notation import pointee, result_types, split_types, successors
from kernel_analysis.lowering.printed.structure import NotAsPrinted, read

TRITON_PYTHON = os.environ.get("TRITON_LS_TEST_PYTHON", sys.executable)
WORKER = Path(__file__).with_name("printed_worker.py")


@pytest.mark.slow("all of the corpus is compiled and read twice")
def test_every_operation_of_the_corpus() -> None:
    done = subprocess.run([TRITON_PYTHON, str(WORKER)], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["differences"] == []
    assert found["modules"] > 500
    assert sum(found["operations"].values()) > 5000


def test_types() -> None:
    assert split_types("(i32, tensor<2x2xf32>, !tt.ptr<f32, 1>)") == ["i32", "tensor<2x2xf32>", "!tt.ptr<f32, 1>"]
    assert split_types("() -> i32") == []
    assert pointee("tensor<8x!tt.ptr<!tt.ptr<f32>>>") == "tensor<8x!tt.ptr<f32>>"
    assert pointee("!tt.ptr<tensor<16x16xf32>>") == "tensor<16x16xf32>"
    assert result_types("arith.cmpi", " slt, %a, %b : tensor<8xi32, #blocked>", 1) == ["tensor<8xi1, #blocked>"]
    assert result_types("tt.split", " %a : tensor<8x2xf32> -> tensor<8xf32>", 2) == ["tensor<8xf32>"] * 2
    assert result_types("ttg.async_commit_group", "", 1) == [""]


def test_branches() -> None:
    assert successors(" %c, ^bb1(%a, %b : i32, f32), ^bb2") == [("bb1", 2), ("bb2", 0)]


def test_values_of_the_same_name() -> None:
    """Regions beside each other may use a name each for a value of its own."""
    lines = [
        ("", "scf.if", " %c {"),
        ("%x", "arith.constant", " 1 : i32 loc(#loc)"),
        ("", "}", " else {"),
        ("%x", "arith.constant", " 2 : i32 loc(#loc)"),
        ("", "}", " loc(#loc)"),
        ("", "}", " loc(#loc)"),
    ]
    structure = read(lines, ["%c"])
    assert sorted(number for number in structure.defined.values() if isinstance(number, int)) == [1, 3]
    assert structure.renamed[3]["%x"] in structure.defined


def test_a_switch_of_several_lines() -> None:
    lines = [
        ("", "cf.switch", " %c : i32, ["),
        ("", "default:", " ^bb1,"),
        ("", "0:", " ^bb2(%c : i32)"),
        ("", "]", " loc(#loc)"),
        ("", "^bb1:", "  // pred: ^bb0"),
        ("", "tt.return", " loc(#loc)"),
        ("", "^bb2", '(%a: i32 loc("a"(#loc))):  // pred: ^bb0'),
        ("", "tt.return", " loc(#loc)"),
        ("", "}", " loc(#loc)"),
    ]
    structure = read(lines, ["%c"])
    assert structure.labels[0] == {"bb1": 1, "bb2": 2}
    assert successors(lines[0][2]) == [("bb1", 0), ("bb2", 1)]
    assert [block.lines for block in structure.blocks] == [[0], [5], [7]]
    assert structure.defined["%a"] == (None, 0, 2, 0)


def test_what_is_not_understood_is_said() -> None:
    with pytest.raises(NotAsPrinted, match="ends within a region"):
        read([("", "scf.if", " %c {")], ["%c"])
    with pytest.raises(NotAsPrinted, match="belongs to no operation"):
        read([("", "default", " {")], [])
