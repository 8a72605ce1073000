"""What is one of several things, of which one is in sight: every way to choose a list or a tuple, or another that is
not in sight, with everything that is asked of it. Each is run for both, by a kernel that writes down what it is
launched with; what is told for certain must be so for either."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_launches import run, told, wrong

WAYS = {
    "or": "t = q or {seen}",
    "and": "t = c and {seen} or q",
    "conditional": "t = {seen} if c else q",
    "statement": "t = {seen}\n    if c:\n        t = q",
    "either": "if c:\n        t = q\n    else:\n        t = {seen}",
    "function": "t = default(q, {seen})",
    "returned": "t = returned(c, q, {seen})",
    "loop": "for t in ({seen}, q):\n        pass",
    "item": "t = ({seen}, q)[c]",
    "of a dict": "t = {{'a': {seen}}}.get(c, q)",
    "or none": "t = (None if c else q) or {seen}",
}
SEEN = ("()", "[]", "(1, 2)", "(x, y)", "[x]", "(1, y)")
ASKS = (
    "len(t)", "bool(t)", "not t", "(*t, 7)[0]", "len([*t, 1])", "t == ()", "sum(len(str(i)) for i in t)",
    "3 if t else 4", "max(len(t), 1)", "len((t, 1)[0])", "len({'a': t}['a'])", "len(tuple(t))", "len([1 for _ in t])",
    "len(list(t) + [1])", "t[0] if t else 5", "isinstance(t, tuple)", "t is None", "len(t) == 2",
)  # fmt: skip
BODY = """def default(q, seen):
    return q or seen


def returned(c, q, seen):
    if c:
        return seen
    return q


def run(q, c, x, y):
    {way}
    k[(1,)](torch.zeros(2), {ask})


"""
CALLS = "for q in ((), (3,), [4, 5, 6], (1, 2)):\n    for c in (0, 1):\n        run(q, c, 2.5, 3)\n"


@pytest.mark.parametrize(("way", "seen"), [*itertools.product(WAYS, SEEN)])
def test_one_of_several(way: str, seen: str, tmp_path: Path) -> None:
    for index, ask in enumerate(ASKS):
        body = BODY.format(way=WAYS[way].format(seen=seen), ask=ask)
        launches = run(body, CALLS)
        (folder := tmp_path / str(index)).mkdir()
        _, said = told(folder, body, {})
        assert not any(wrong(said, n) for _, n in launches), (ask, said, launches)


@pytest.mark.parametrize("seen", SEEN)
def test_what_is_in_sight_alone_is_counted(seen: str, tmp_path: Path) -> None:
    body = BODY.format(way=f"t = {seen}", ask="len(t)")
    ((_, counted), *_) = run(body, CALLS)
    _, said = told(tmp_path, body, {})
    assert (said.sure, said.varies, said.value) == (True, False, counted)
