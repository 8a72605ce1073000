"""What stands for something that is not there says nothing of what that has, is or equals: each of those with each
question is answered as in a run, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from lowering_helpers import lower

from products import product

# What a run has there. Each has a `k` that is 77 and a `name` that is "it", and is neither None nor the number 3.
THINGS = {
    "module": "other",
    "class": "Plain",
    "member of a class": "Plain.inner",
    "result": "MADE",
    "result's attribute": "MADE.inner",
    "in a tuple": "(MADE, 1)[0]",
    "handed on": "given(MADE)",
}

QUESTIONS = {
    "has": "hasattr({x}, 'k')",
    "taken or else": "getattr({x}, 'k', 0) == 77",
    "called": "getattr({x}, 'name', '') == 'it'",
    "name": "{x}.name == 'it'",
    "reason": "{x}.reason != 'other'",
    "not nothing": "not ({x} is None)",
    "nothing": "({x} is None) == False",
    "no number": "not ({x} == 3)",
    "of a kind": "not isinstance({x}, tl.constexpr)",
    "itself": "{x} is same({x})",
}

OTHER = "k = 77\nname = 'it'\nreason = ''\n"

HEAD = """
import enum

import missing_library
import other

MADE = missing_library.make()


class Plain:
    k = 77
    name = "it"
    reason = ""
    inner = missing_library.make()


class Mode(enum.IntEnum):
    k = 77


@triton.constexpr_function
def given(x):
    return x


@triton.constexpr_function
def same(x):
    return x if x is MADE else Plain if x is Plain else other


"""


@pytest.mark.parametrize("where", ["in Python", "in the kernel"])
@pytest.mark.parametrize(("thing", "question"), product(THINGS, QUESTIONS))
def test_each_question(thing: str, question: str, where: str, tmp_path: Path) -> None:
    asked = QUESTIONS[question].format(x=THINGS[thing])
    inside = "answer()" if where == "in Python" else asked
    answer = f"@triton.constexpr_function\ndef answer():\n    return bool({asked})\n\n\n"
    kernel = f"@triton.jit\ndef kernel(p):\n    if {inside}:\n        tl.store(p, 1.0)\n"
    case = lower(tmp_path, HEAD + answer + kernel, files={"other": OTHER}, p="*fp32")
    assert case.lowered.ir is None or "tt.store" in case.ir.functions[case.ir.entry].names, asked
