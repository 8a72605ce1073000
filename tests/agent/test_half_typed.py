"""A line outside of bodies, cut off at each of its letters as when it is typed or erased: where the text does not
parse, nothing is said but the syntax error, whatever the line would have bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.process import Agent

SCALES = """import triton


@triton.jit
def scaled(x):
    return x * 2
"""
TEXT = """import triton
import triton.language as tl
from scales import scaled

WIDE: tl.constexpr = tl.constexpr(16)


@triton.jit
def helper(x):
    return scaled(x) + WIDE


@triton.jit
def first(p, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(p + at, helper(at), mask=at < n)


@triton.jit
def second(p, n):
    at = tl.arange(0, WIDE)
    tl.store(p + at, scaled(at), mask=at < n)
"""


def cut_off() -> Iterator[tuple[int, str]]:
    """The texts with one line cut off that do not parse then, each with the number of the line."""
    lines = TEXT.split("\n")
    for number, line in enumerate(lines):
        for end in range(1, len(line)) if line[:1].strip() else ():
            text = "\n".join([*lines[:number], line[:end], *lines[number + 1 :]])
            try:
                ast.parse(text)
            except SyntaxError:
                yield number + 1, text


@pytest.mark.slow("a text for each letter of the lines outside of bodies")
def test_of_a_line_that_is_half_typed_there_is_one_error(tmp_path: Path) -> None:
    file, other = tmp_path / "kernels.py", tmp_path / "scales.py"
    file.write_text(TEXT)
    other.write_text(SCALES)
    more: list[tuple[str, list[str]]] = []
    with Agent(tmp_path) as agent:
        assert not [found for found in agent.show(file, TEXT).findings if found["code"] != "mutated-parameter"]
        texts = [*cut_off()]
        assert len(texts) > 60
        for number, text in texts:
            findings = agent.show(file, text).findings
            said = [f["message"] for f in findings if f["code"] not in ("syntax-error", "mutated-parameter")]
            syntax = [f for f in findings if f["code"] == "syntax-error"]
            if said or len(syntax) != 1:
                more.append((text.split("\n")[number - 1], said))
    assert not more, "\n".join(map(str, more))


@pytest.mark.slow("a text for each letter of a decorator")
@pytest.mark.parametrize("body", ["return x * 2", "return x * tl.program_id(0)"])
def test_a_function_is_listed_while_its_decorator_is_erased(tmp_path: Path, body: str) -> None:
    """Down to its ``@``, whatever its body says; and what is to be said of that is said there, and not at each call."""
    file, at = tmp_path / "kernels.py", "@triton.jit"
    whole = f"""import triton
import triton.language as tl


@triton.jit
def helper(x):
    {body}


@triton.jit
def first(p):
    tl.store(p, helper(1))


@triton.jit
def second(p):
    tl.store(p + helper(2), 1)
"""
    file.write_text(whole)
    with Agent(tmp_path) as agent:
        agent.show(file, whole)
        for end in range(len(at) - 1, 0, -1):
            answer = agent.show(file, whole.replace(f"{at}\ndef helper", f"{at[:end]}\ndef helper"))
            (index,) = answer.of("index")
            assert {entry["name"] for entry in index["kernels"]} == {"helper", "first", "second"}, at[:end]
            if "." in at[:end]:
                said = [(f["span"]["line"], f["message"]) for f in answer.findings if f["code"] != "mutated-parameter"]
                assert [line for line, _ in said] == [5], said
