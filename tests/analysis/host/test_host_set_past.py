"""Attributes that are set past what the class itself says of that: by what another class, or what made it, has as
``__setattr__``. Every way to come by that with every class, an Enum's among them, which refuses a statement that sets
one; run by real Python, in this file and in another."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

CLASSES = {
    "enum": ("import enum\nclass E(enum.Enum):\n    A = 1\n    B = 2\n", "E.A.value", "E.B"),
    "int enum": ("import enum\nclass E(enum.IntEnum):\n    A = 1\n    B = 2\n", "E.A + 1", "E.B"),
    "flag": ("import enum\nclass E(enum.Flag):\n    A = 1\n    B = 2\n", "E.A.value", "E.B"),
    "plain": ("class E:\n    A = 1\n", "E.A", "2"),
    "derived": ("class D:\n    A = 1\nclass E(D):\n    pass\n", "E.A", "2"),
    "dataclass": ("import dataclasses\n@dataclasses.dataclass\nclass E:\n    A: int = 1\n", "E().A", "property(print)"),
    "object": ("class O:\n    A = 1\nE = O()\n", "E.A", "2"),
}
SETS = {
    "type's": "type.__setattr__(E, 'A', V)",
    "object's": "object.__setattr__(E, 'A', V)",
    "its class's": "type(E).__setattr__(E, 'A', V)",
    "by its class": "E.__class__.__setattr__(E, 'A', V)",
    "super's": "super(type(E), E).__setattr__('A', V)",
    "deleted": "type.__delattr__(E, 'A')",
    "named": "s = type.__setattr__\n    s(E, 'A', V)",
    "by getattr": "getattr(type, '__setattr__')(E, 'A', V)",
    "of its dict": "type.__dict__['__setattr__'](E, 'A', V)",
    "partial": "import functools\n    functools.partial(type.__setattr__, E)('A', V)",
    "mapped": "list(map(type.__setattr__, [E], ['A'], [V]))",
    "spread": "type.__setattr__(*(E, 'A', V))",
    "a name": "n = 'A'\n    type.__setattr__(E, n, V)",
    "computed": "type.__setattr__(E, 'a'.upper(), V)",
    "handed on": "given(type.__setattr__)",
    "another name": "type.__setattr__(itself(E), 'A', V)",
    "looked up": "type.__setattr__(globals()['E'], 'A', V)",
    "in a method": "R().go(E)",
    "nothing": "setattr(E, 'C', 2)",
}
HELP = """V = {value}
def given(f):
    f(E, 'A', V)
def itself(x):
    return x
class R:
    def go(self, c):
        type.__setattr__(c, 'A', V)
"""


@pytest.mark.parametrize(("cls", "sets", "here"), [*itertools.product(CLASSES, SETS, (True, False))])
def test_set_past_what_the_class_says(cls: str, sets: str, here: bool, tmp_path: Path) -> None:
    made, asked, value = CLASSES[cls]
    does = f"{HELP.format(value=value)}def later():\n    {SETS[sets]}\n"
    texts = {"main": made + does} if here else {"main": made, "other": f"from main import E\n{does}"}
    verdict, seen = judged(tmp_path, texts, asked)
    assert verdict != "certain" or len({*map(str, seen)}) == 1, seen


@pytest.mark.parametrize("asked", ["E.f(1)", "E.g()"])
def test_what_is_no_member_of_an_enum_is_set_like_any(asked: str, tmp_path: Path) -> None:
    more = "    def f(self):\n        return 1\n    @staticmethod\n    def g():\n        return 1\n"
    main = CLASSES["enum"][0] + more
    (here := tmp_path / "here").mkdir()
    (there := tmp_path / "there").mkdir()
    sets = f"from main import E\n\n\ndef later():\n    E.{asked[2]} = lambda *_: 2\n"
    verdict, seen = judged(there, {"main": main, "other": sets}, asked)
    assert verdict != "certain", seen
    assert judged(here, {"main": main}, asked)[0] == "certain"


@pytest.mark.parametrize("cls", ["enum", "int enum", "flag"])
def test_an_enum_that_is_handed_to_setattr_is_certain(cls: str, tmp_path: Path) -> None:
    texts = {"main": CLASSES[cls][0], "other": "from main import E\n\n\ndef later():\n    E.A = E.B\n"}
    verdict, seen = judged(tmp_path, texts, CLASSES[cls][1])
    assert verdict == "certain"
    assert len({*map(str, seen)}) == 1


@pytest.mark.parametrize("cls", ["enum", "int enum", "flag"])
def test_a_frozen_object_that_sets_its_own_leaves_an_enum(cls: str, tmp_path: Path) -> None:
    frozen = "class F:\n    def __init__(self):\n        object.__setattr__(self, 'x', 1)\n"
    verdict, _ = judged(tmp_path, {"main": CLASSES[cls][0] + frozen}, CLASSES[cls][1])
    assert verdict == "certain"
