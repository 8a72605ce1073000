"""What a constexpr function asks of Python is paid for in steps: what holds the same thing many times, or is deep,
costs no more than it is long, whoever goes through it. And what it changes in one of Triton's objects is its own."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from lowering_helpers import Case, lower

SECONDS = 3.0  # of the processor, of which the first makes the compiler

DOUBLED = {
    "a tuple": ("(1,)", "(x, x)"),
    "a list": ("[1]", "[x, x]"),
    "a dict": ("(1,)", "{'k': x, 'l': x}"),
    "a tuple of Triton's": ("tl.tuple((1,))", "tl.tuple((x, x))"),
    "a longer tuple of Triton's": ("tl.tuple((1,))", "x + x"),
    "a type": ("tl.tuple_type([tl.int32])", "tl.tuple_type([x, x])"),
    "classes": ("(tl.tensor,)", "(x, x)"),
}
USES = {
    "==": "a == b", "<": "a < b", "in": "a in (b, 2)",
    "a key": "len({a: 1})", "a member": "len({a})", "a key of a comprehension": "len({x: 1 for x in (a,)})",
    "looked up": "{1: 1}.get(a, 2)", "max": "max(a, b) == 1", "sorted": "len(sorted((a, b)))",
    "isinstance": "isinstance(1, a)", "index": "(a, 1).index(b)", "str": "len(str(a))",
    "f-string": "len(f'{a}')", "a call": "tl.tuple((a, b)) == 1", "copied": "len(copy.deepcopy(a))",
    "a layout": "gl.BlockedLayout(a, a, a, a) == gl.BlockedLayout(b, b, b, b)",
}  # fmt: skip
LONG = {
    "sums": "sum(sequence)", "sorts": "len(sorted(sequence))", "copies": "len(sequence + [1])",
    "slices": "len(sequence[1:])",
    "comparisons": "sequence == other", "lists": "len(list(sequence))",
    "products": "number * number % 7", "quotients": "number // 3 % 7", "factorials": "math.factorial(2000) % 7",
    "texts": "len(text + 'x')", "replaced": "len(text.replace('z', ''))", "joined": "len(f'{text}x')",
    "names": "len(TABLE)", "items": "len(sequence.copy())",
}  # fmt: skip


def function(folder: Path, body: str, above: str = "") -> Case:
    start = time.process_time()
    head = "import copy\nimport math\nfrom triton.experimental.gluon import language as gl\n"
    text = f"{head}{above}\n@triton.constexpr_function\ndef worked():\n"
    text += "".join(f"    {line}\n" for line in body.splitlines())
    text += "\n@triton.jit\ndef kernel(p):\n    n: tl.constexpr = worked()\n    tl.store(p, 1)\n"
    made = lower(folder, text, p="*i32")
    assert time.process_time() - start < SECONDS
    return made


@pytest.mark.parametrize("use", USES)
def test_what_is_there_many_times_is_not_gone_through_each_time(tmp_path: Path, use: str) -> None:
    for name, (first, twice) in DOUBLED.items():
        lines = [f"a = b = {first}", *(f"x = {one}\nfor i in range(60):\n    x = {twice}\n{one} = x" for one in "ab")]
        (tmp_path / name).mkdir()
        case = function(tmp_path / name, "\n".join([*lines, f"return 1 if {USES[use]} else 2"]))
        assert case.lowered.problem is not None, name
        assert "analysis failed" not in case.problem.message, name


@pytest.mark.parametrize("work", LONG)
def test_long_work_is_paid_for(tmp_path: Path, work: str) -> None:
    body = (
        "sequence = list(range(60000))\nother = list(range(60000))\nnumber = 1 << 30000\ntext = 'x' * 60000\n"
        f"for i in range(60000):\n    x = {LONG[work]}\nreturn 1"
    )
    table = "TABLE = (" + "1, " * 3000 + ")"
    assert function(tmp_path, body, table).problem.message == "it takes too many steps"


def test_what_is_deep_is_not_gone_into(tmp_path: Path) -> None:
    made = function(tmp_path, "a = (1,)\nfor i in range(9000):\n    a = (a,)\nreturn len({a: 1})")
    assert made.problem.message == "it is nested too deeply"


def test_usual_work_is_done(tmp_path: Path) -> None:
    body = "found = {}\nfor i in range(2000):\n    found[i] = TABLE[i % 256] * (1 << 60)\nreturn found[77] == 77 << 60"
    table = "TABLE = (" + ", ".join(map(str, range(256))) + ")"
    assert function(tmp_path, body, table).lowered.problem is None


def test_lists_in_lists_of_triton_are_copied(tmp_path: Path) -> None:
    above = "L = gl.SharedLinearLayout([[1, 0], [2, 0]], [[0, 1]])"
    body = "L.offset_bases[0].append(7)\nL.offset_bases[1][0] = 9\nassert L.offset_bases == [[1, 0], [2, 0]]\nreturn 1"
    assert function(tmp_path, body, above).lowered.problem is None
