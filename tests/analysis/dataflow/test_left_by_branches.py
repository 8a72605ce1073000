"""What a name is behind a branch of run time is what it was before, but for what all arms took along; and whether what
is assigned to it is a constant may have been said under a condition. So what one launch does is never ruled out by
another: each way to bind a name in an arm with each way to end the other, each test and each use; each way to say what
a name is with each way to ask for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from dataflow_helpers import facts_of, named

from products import product

_HEAD = """
from triton.language.core import _aggregate as aggregate


@aggregate
class Box:
    p: tl.tensor
    k: tl.constexpr

    @triton.constexpr_function
    def __init__(self, p, k):
        self.p = p
        self.k = tl.constexpr(k)


@triton.jit
def put(p, q, k: tl.constexpr):
    if k:
        tl.store(q, 1.0)
    else:
        tl.store(p, 1.0)

"""
GIVEN = {
    "a loop": "for X in tl.static_range(1, 2):\n    pass",
    "turns of a loop": "for X in tl.static_range(2):\n    pass",
    "a loop in a loop": "for j in tl.static_range(2):\n    for X in tl.static_range(j, 2):\n        pass",
    "a comprehension": "u = [X for X in (1, 1)]",
    "an object": "o = Box(a_ptr, 1)",
    "an object in a tuple": "t = (a_ptr, Box(a_ptr, 1))",
}
ARMS = {
    "the other ends": "if {test}:\n    {given}\nelse:\n    return",
    "the first ends": "if {test}:\n    return\nelse:\n    {given}",
    "both": "if {test}:\n    {given}\nelse:\n    {given}",
    "of several": "if {test}:\n    {given}\nelif tl.program_id(0) > 2:\n    return\nelse:\n    return",
    "in one another": "if {test}:\n    if n > 1:\n        {inner}\n    else:\n        {inner}\nelse:\n    {given}",
    "alone": "if {test}:\n    {given}",
    "in a loop": "for r in range(2):\n    if {test}:\n        {inner}\n    else:\n        {inner}",
}
TESTS = {
    "a program": "tl.program_id(0) > 3",
    "a number": "n > 3",
    "a number, or a constant": "n != 1",
    "a number for a constant": "W",
}
USES = {
    "an item": "tl.store((a_ptr, b_ptr)[X], 1.0)",
    "a test": "if X:\n    tl.store(b_ptr, 1.0)\nelse:\n    tl.store(a_ptr, 1.0)",
    "an argument": "put(a_ptr, b_ptr, X)",
    "the bounds of a loop": "for m in tl.static_range(X):\n    tl.store(b_ptr, 1.0)",
}
_OUTER = """

@triton.jit
def kernel(a_ptr, b_ptr, n, X: tl.constexpr):
    inner(a_ptr, b_ptr, n, X, tl.program_id(0) > 3)
"""
_OF = {"an object": "o.k", "an object in a tuple": "t[1].k"}


def _indented(text: str, by: int = 4) -> str:
    return text.replace("\n", "\n" + " " * by)


@pytest.mark.parametrize(("given", "arms", "test", "use"), product(GIVEN, ARMS, TESTS, USES))
def test_what_a_launch_does_no_other_rules_out(given: str, arms: str, test: str, use: str, tmp_path: Path) -> None:
    statement = GIVEN[given]
    branch = ARMS[arms].format(test=TESTS[test], given=_indented(statement), inner=_indented(statement, 8))
    lines = ["o = Box(a_ptr, X)", "t = (a_ptr, o)", branch, USES[use].replace("X", _OF.get(given, "X"))]
    named = "kernel" if TESTS[test] != "W" else "inner"
    head = f"@triton.jit\ndef {named}(a_ptr, b_ptr, n, X: tl.constexpr, W: tl.constexpr = 0):\n    "
    text = _HEAD + head + _indented("\n".join(lines)) + "\n"
    _agree(tmp_path, text if TESTS[test] != "W" else text + _OUTER, "X", (0, 1))


SAID = {
    "under a flag": "if F:\n    K: tl.constexpr\nK = 0",
    "under no flag": "if F:\n    pass\nelse:\n    K: tl.constexpr\nK = 0",
    "in a loop": "for i in tl.static_range(F):\n    K: tl.constexpr\nK = 0",
    "taken by an arm": "K: tl.constexpr\nif F:\n    K = 3\nK = 0",
    "taken by a turn": "K: tl.constexpr\nfor i in tl.static_range(1 + F):\n    K = 0",
    "taken by a tuple": "K: tl.constexpr\nif F:\n    K, L = 0, 1\nK = 0",
    "said again": "K: tl.constexpr\nK = 0\nif F:\n    K: tl.constexpr\nK = 0",
    "as a flag says": "K: (tl.constexpr if F else tl.int32)\nK = 0",
    "under a test of run time": "if tl.program_id(0) > 3:\n    if F:\n        K: tl.constexpr\nK = 0",
}
ASKED = {
    "its type": "if K.type == tl.int32:\n    tl.store(b_ptr, 1.0)",
    "what it is": "if isinstance(K, tl.constexpr):\n    tl.store(b_ptr, 1.0)",
    "what it is not": "if not isinstance(K, tl.constexpr):\n    tl.store(b_ptr, 1.0)",
    "what else it becomes": "if n > 3:\n    K = 5\nif K == 5:\n    tl.store(b_ptr, 1.0)",
    "in a helper": "asked(b_ptr, K)",
}
_ASKING = """
@triton.jit
def asked(p, k):
    if k.type == tl.int32:
        tl.store(p, 1.0)

"""


@pytest.mark.parametrize(("said", "asked"), product(SAID, ASKED))
def test_whether_it_is_a_constant(said: str, asked: str, tmp_path: Path) -> None:
    lines = [SAID[said], ASKED[asked], "tl.store(a_ptr, 1.0)"]
    text = f"{_ASKING}@triton.jit\ndef kernel(a_ptr, b_ptr, n, F: tl.constexpr):\n    "
    _agree(tmp_path, text + _indented("\n".join(lines)) + "\n", "F", (0, 1))


MADE = {
    "a number that is written down": "2",
    "what is computed": "tl.cdiv(4, 2)",
    "of a shape": "tl.arange(0, 16).shape[0]",
    "of a type": "a_ptr.dtype.element_ty.primitive_bitwidth",
    "of a helper": "two()",
}
KEPT = {
    "by an annotation": "if F:\n    K: tl.constexpr = y\nelse:\n    K = y",
    "by an annotation in the other arm": "if F:\n    K = y\nelse:\n    K: tl.constexpr = y",
    "by a comprehension": "if F:\n    u = [K for K in (y, y)]\nelse:\n    K = y",
    "by a comprehension of pairs": "if F:\n    u = [K for K, L in ((y, y),)]\nelse:\n    K = y",
    "unpacked": "t = (y, y)\nif F:\n    K: tl.constexpr = t[0]\nelse:\n    K, L = t",
    "by a loop": "if F:\n    for K in tl.static_range(2, 3):\n        pass\nelse:\n    K = y",
    "as a flag says": "K: (tl.constexpr if F else tl.int32) = y",
    "in turns": "K = y\nfor i in tl.static_range(F):\n    u = [K for K in (y, y)]",
}


@pytest.mark.parametrize("inside", ["", "for r in tl.static_range(1):\n    "], ids=["outside", "inside"])
@pytest.mark.parametrize(("made", "kept", "asked"), product(MADE, KEPT, ASKED))
def test_a_constant_or_what_is_assigned_the_same(made: str, kept: str, asked: str, inside: str, tmp_path: Path) -> None:
    lines = [f"y: tl.constexpr = {MADE[made]}", KEPT[kept], ASKED[asked]]
    body = inside + "\n".join(lines).replace("\n", "\n" + " " * (4 if inside else 0))
    two = "@triton.jit\ndef two():\n    return 2\n\n\n"
    text = f"{_ASKING}{two}@triton.jit\ndef kernel(a_ptr, b_ptr, n, F: tl.constexpr):\n    {_indented(body)}\n"
    _agree(tmp_path, text, "F", (0, 1))


def _agree(folder: Path, text: str, name: str, ways: tuple[int, ...]) -> None:
    """Of what some launch writes, no other's compile says no."""
    types = {"a_ptr": "*fp32", "b_ptr": "*fp32", "n": "i32"}
    said: list[dict[str, str]] = []
    for way in ways:
        try:
            facts = facts_of(folder, text, {name: way}, **types)
        except AssertionError:
            continue  # this Triton takes no such launch
        said.append({of: named(facts.parameters, of).write.verdict for of in ("a_ptr", "b_ptr")})
    for one in said:
        for of, verdict in one.items():
            assert verdict != "no" or all(other[of] != "yes" for other in said), f"{of}\n{text}"
