"""A kernel that compiled a moment ago was broken by the edit since; but never is an error shown that the edit only
brought out in a guess of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent.kernels import HEAD
from agent.poisoned import poison
from agent.process import Agent

GOOD = HEAD + (
    "@triton.jit\ndef k(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
    "    o = tl.arange(0, BLOCK)\n"
    "    x = tl.load(x_ptr + o, mask=o < n)\n"
    "    w = tl.load(w_ptr + o, mask=o < n)\n"
    "    tl.store(out_ptr + o, x * w, mask=o < n)\n"
)
LAUNCH = "\n\ndef run(x, w, out):\n    k[(1,)](x, w, out, 100, BLOCK=64)\n"

NOTE = "It compiled before the last edits, with the same types and values."


def edited(*changes: str, text: str = GOOD) -> str:
    """The text with pairs of (old, new) replaced."""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# What no types and no sizes make right, with the line of the error.
BROKEN = {
    "a block where a number belongs": (10, edited("out_ptr + o, x", "out_ptr, x")),
    "an axis too many": (10, edited("x * w,", "x * w.expand_dims(5),")),
    "a loop that changes a type": (
        11,
        edited("    tl.store(", "    acc = 0\n    for _ in range(n):\n        acc = x * w\n    x = acc\n    tl.store("),
    ),
    "a pointer in place of its values": (10, edited("x * w,", "x_ptr * w,")),
    "in a helper that is new": (
        7,
        edited(
            "@triton.jit\ndef k",
            "@triton.jit\ndef h(x, p):\n    return x * p\n\n\n@triton.jit\ndef k",
            "x * w,",
            "h(x, w_ptr),",
        ),
    ),
}

# What may well be right with the types and values that the author has in mind.
OPEN = {
    "an assertion": edited("    x = tl", "    tl.static_assert(BLOCK % 96 == 0)\n    x = tl"),
    "a shape that other sizes have": edited("x * w,", "tl.reshape(tl.reshape(x * w, [128, 4]), [BLOCK]),"),
    "a size that is only compared": edited("x * w,", "x * w + tl.arange(0, 4096),"),
    "a guess for a new parameter": edited("n, BLOCK", "n, b, BLOCK", "x * w,", "x * w + tl.load(b)[:, None, None],"),
}


def problem(agent: Agent, file: Path, text: str) -> dict[str, Any]:
    (found,) = agent.show(file, text).reports["k"]["problems"]
    return found


@pytest.mark.parametrize("case", list(BROKEN))
def test_an_edit_that_breaks_a_kernel_is_the_error(agent: Agent, root: Path, case: str) -> None:
    file = root / f"broken_{list(BROKEN).index(case)}.py"
    line, text = BROKEN[case]
    # Of a file that was never seen to compile the same is no accusation.
    assert problem(agent, file, text)["code"] == "not-analyzed"
    assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"
    for _ in range(2):
        found = problem(agent, file, text)
        assert (found["code"], found["span"]["line"]) == ("compile-error", line)
        assert NOTE in found["hint"]
        # Another edit later it is broken still.
        text += "\n# more\n"
    assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"


@pytest.mark.parametrize("case", list(OPEN))
def test_an_edit_that_shows_a_guess_to_be_wrong_is_no_error(agent: Agent, root: Path, case: str) -> None:
    file = root / f"broken_open_{list(OPEN).index(case)}.py"
    assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"
    assert {f["severity"] for f in agent.show(file, OPEN[case]).findings} <= {"information", "hint"}


def test_what_a_launch_said_is_a_guess_when_the_launch_is_gone(agent: Agent, root: Path) -> None:
    file = root / "broken_launched.py"
    broken = BROKEN["a pointer in place of its values"][1]
    assert agent.show(file, GOOD + LAUNCH).reports["k"]["status"] == "analyzed"
    assert problem(agent, file, broken)["code"] == "not-analyzed"


def test_another_kernel_of_the_name_is_another_kernel(agent: Agent, root: Path) -> None:
    file = root / "broken_twice.py"
    broken = BROKEN["a pointer in place of its values"][1]
    assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"
    second = broken.removeprefix(HEAD)
    answer = agent.show(file, f"{HEAD}if triton:\n    pass\n\n{second}\n\n{second}")
    assert {f["severity"] for f in answer.findings} <= {"information", "hint"}


@pytest.mark.slow("two agents, and an error that is tried with other sizes and dtypes")
def test_an_agent_that_takes_over_knows_it_from_the_cache(tmp_path: Path) -> None:
    file, cache = tmp_path / "k.py", str(tmp_path / "cache.sqlite")
    text = BROKEN["a pointer in place of its values"][1]
    with Agent(tmp_path, cache=cache) as agent:
        assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"
        agent.show(file, GOOD)
    with Agent(tmp_path, cache=cache) as agent:
        assert problem(agent, file, text)["code"] == "compile-error"
    # A damaged entry says nothing.
    poison(cache, bytes(1), "last:%")
    with Agent(tmp_path, cache=cache) as agent:
        assert problem(agent, file, text)["code"] == "not-analyzed"
        assert agent.show(file, GOOD).reports["k"]["status"] == "analyzed"
    # A check of files as they are knows of no edits, and of another target nobody knows anything.
    with Agent(tmp_path, cache=cache, patient=True) as agent:
        assert problem(agent, file, text)["code"] == "not-analyzed"
    with Agent(tmp_path, cache=cache, target="cuda:80") as agent:
        assert problem(agent, file, text)["code"] == "not-analyzed"


@pytest.mark.parametrize("member", ["__len__", "__iadd__", "__call__"])
def test_what_is_not_evaluated_of_an_object_is_no_error(agent: Agent, root: Path, member: str) -> None:
    made = (
        f"{HEAD}from triton.language.core import _aggregate as aggregate\n\n\n@aggregate\nclass Pair:\n"
        "    p: tl.tensor\n    q: tl.tensor\n\n"
        "    @triton.constexpr_function\n    def __init__(self, p, q):\n        self.p = p\n        self.q = q\n\n"
        "    @triton.jit\n    def put(self):\n        tl.store(self.p, 1.0)\n\n"
        "    @triton.jit\n    def __add__(self, other):\n        return self\n\n\n"
        "@triton.jit\ndef k(x_ptr, out_ptr):\n    pair = Pair(x_ptr, out_ptr)\n    pair.put()\n"
    )
    file = root / f"member_{member.strip('_')}.py"
    assert agent.show(file, made).reports["k"]["problems"] == []
    before = "    @triton.jit\n    def __add__"
    more = f"    @triton.jit\n    def {member}(self):\n        return 2\n\n"
    reports = agent.show(file, made.replace(before, f"{more}{before}")).reports
    problems = [found for report in reports.values() for found in report["problems"]]
    assert all(found["code"] == "not-analyzed" for found in problems)
    assert ["`Pair` is an aggregate" in found["message"] for found in reports["k"]["problems"]] == [True]
    # Its methods are not followed either: they may have anything for `self`.
    assert all("`Pair`" in found["message"] for found in problems)
