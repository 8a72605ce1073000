"""Every line of a file, typed anew letter by letter: there is one syntax error at most, and nothing else of the file
goes for it."""

from __future__ import annotations

import ast

import pytest

from kernel_analysis.source.parsing.parse import parse

TEXT = '''\
"""What it is for.

It's of (no use - to anybody.
"""
import triton

SIZES = {
    "one": {"a": 1, "b": [2, 3]},
}


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": n}, num_warps=4)
        for n in [16, 32]
    ],
    # Each of them.
    key=["n"],
)
# And then:
@triton.jit
def first(x_ptr, n, BLOCK: tl.constexpr):
    """Adds."""
    at = tl.arange(0, BLOCK)
    if n > 4:
        x = tl.load(
            x_ptr + at,
            mask=at < n,
        )
    else:
        x = at
    tl.store(x_ptr + at, x)


@register(
    "second",
    modes=("default",),
)
def second(
    x: int,
    y: Optional[int] = None,
):
    """Makes one.

    It returns it's inner.
    """
    @triton.heuristics({
        "BLOCK": lambda args: 16,
    })
    @triton.jit
    def inner(p,
              q):
        tl.store(p, 1)
        tl.store(q, 2)

    @triton.jit
    def other(p):
        tl.store(p, 1)

    return inner


class Holder:
    """Two."""

    @staticmethod
    def third(
        x,
    ):
        """Three."""
        return x

    @triton.jit
    def fourth(p):
        """Four."""
        tl.store(p, 4)


first[(1,)](
    x,
    4,
)
'''
LINES = TEXT.split("\n")
CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
UNITS = {"first": range(11, 32), "second": range(33, 61), "Holder": range(62, 77)}
PROSE = {0, 40}
"""Where a text of several lines begins that is no code: without its quotes each of them is wrong."""


def closed(typed: str) -> str:
    """What an editor puts behind it."""
    ends: list[str] = []
    for letter in typed:
        if letter in CLOSED_BY:
            ends.append(CLOSED_BY[letter])
        elif ends and letter == ends[-1]:
            ends.pop()
    return "".join(reversed(ends))


def test_the_lines_are_those_of_the_units() -> None:
    assert not parse(TEXT).problems
    for name, unit in UNITS.items():
        assert any(f" {name}" in LINES[number] for number in unit)
        assert not LINES[unit.stop].strip()
        assert not LINES[unit.start - 1].strip()


@pytest.mark.parametrize("number", range(len(LINES) - 1))
def test_a_line_that_is_typed_has_one_error(number: int) -> None:
    line = LINES[number]
    indent = len(line) - len(line.lstrip())
    for end in range(indent, len(line)):
        for typed in dict.fromkeys((line[:end], line[:end] + closed(line[:end]))):
            text = "\n".join([*LINES[:number], typed, *LINES[number + 1 :]])
            parsed = parse(text)
            if number not in PROSE or typed.lstrip().startswith('"""'):
                assert len(parsed.problems) <= 1, (typed, parsed.problems)
            if '"""' in line:
                continue  # what is text and what is code is anybody's guess
            there = {each.name for each in parsed.tree.body if isinstance(each, ast.FunctionDef | ast.ClassDef)}
            assert {name for name, unit in UNITS.items() if number not in unit} <= there, typed


@pytest.mark.parametrize("gone", [True, False])
def test_what_has_no_body_yet_is_wrong_itself_and_not_what_comes_next(gone: bool) -> None:
    lines = [*LINES[:66], *(["    def third(x):", "        "] if gone else ["    def third(x):"]), *LINES[71:]]
    parsed = parse("\n".join(lines))
    assert [problem.line for problem in parsed.problems] == [67]
    (holder,) = (each for each in parsed.tree.body if isinstance(each, ast.ClassDef))
    assert [each.name for each in holder.body if isinstance(each, ast.FunctionDef)] == ["fourth"]
