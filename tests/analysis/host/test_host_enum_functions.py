"""What a member of an Enum has by the functions of its class, and what operators make of members: each way to ask by
each way to set such a function on the class, run by real Python, in this file and in another."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

CLASS = """import enum
import functools
class E(enum.Enum):
    A = 1
    B = 2

    @property
    def size(self):
        return {E.A: 16, E.B: 32}.get(self)

    @property
    def wide(self):
        if self == E.A:
            return 64
        return 1

    @functools.cached_property
    def once(self):
        return self.value + 1

    def times(self, n):
        return self.size * n

    @staticmethod
    def plain(n):
        return n + 1
class M(enum.IntEnum):
    A = 1
    B = 2
"""
ASKED = {
    "a property": ("E.A.size", "size"),
    "one that compares": ("E.A.wide", "__eq__"),
    "one that is kept": ("E.A.once", "once"),
    "a method": ("E.B.times(2)", "size"),
    "itself set": ("E.B.times(2)", "times"),
    "a static method": ("E.A.plain(3)", "plain"),
    "a comparison": ("E.A == E.A", "__eq__"),
    "an inequality": ("E.A != E.B", "__ne__"),
    "a key": ("{E.A: 1, E.B: 2}[E.B]", "__hash__"),
    "a place in a tuple": ("E.B in (E.A, E.B)", "__eq__"),
    "a sum": ("M.A + 1", "__add__"),
    "a sum from the right": ("1 + M.A", "__radd__"),
    "an order": ("M.A < M.B", "__lt__"),
}
SETS = {
    "a statement": "C.N = F",
    "setattr": "setattr(C, 'N', F)",
    "a computed name": "n = 'N'[:99]\n    setattr(C, n, F)",
    "by a member": "type(C.A).N = F",
    "by its class": "C.B.__class__.N = F",
    "type's": "type.__setattr__(C, 'N', F)",
    "a loop": "for n in ('N', 'other'):\n        setattr(C, n, F)",
    "handed on": "given(C)",
    "patched": "from unittest import mock\n    mock.patch.object(C, 'N', F).start()",
    "nothing": "C.other = F",
}
FUNCTIONS = {"size": "property(lambda self: 3)", "wide": "property(lambda self: 3)", "once": "property(lambda self: 3)"}
ANY = "lambda *args: 7"


@pytest.mark.parametrize(("asks", "sets", "here"), [*itertools.product(ASKED, SETS, (True, False))])
def test_what_a_member_has_by_its_class(asks: str, sets: str, here: bool, tmp_path: Path) -> None:
    asked, name = ASKED[asks]
    function, owner = FUNCTIONS.get(name, ANY), "M" if asked.startswith(("M", "1")) else "E"
    names = {"C": owner, "N": name, "F": "F"}
    does = "".join(names.get(part, part) for part in _parts(SETS[sets]))
    help_ = f"F = {function}\ndef given(c):\n    c.{name} = F\n"
    later = f"{help_}def later():\n    {does}\n"
    texts = {"main": CLASS + later} if here else {"main": CLASS, "other": f"from main import E, M\n{later}"}
    verdict, seen = judged(tmp_path, texts, asked)
    assert verdict != "certain" or len({*map(str, seen)}) == 1, seen


@pytest.mark.parametrize("asks", [asks for asks in ASKED if asks != "one that is kept"])
def test_what_nobody_sets_is_told(asks: str, tmp_path: Path) -> None:
    verdict, seen = judged(tmp_path, {"main": f"{CLASS}def later():\n    pass\n"}, ASKED[asks][0])
    assert verdict == "certain", seen


def _parts(text: str) -> list[str]:
    """The text by its single capitals, which stand for something."""
    found = [""]
    for before, one, after in zip(" " + text, text, text[1:] + " ", strict=False):
        alone = one in "CNF" and not (before.isalnum() or before == "_") and not (after.isalnum() or after == "_")
        found += [one, ""] if alone else []
        if not alone:
            found[-1] += one
    return found
