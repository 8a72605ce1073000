"""What a function of another file binds to a variable of its own, or puts into a list that it does: every way to hold a
module's list so, with everything that is done with it. Each is run by real Python; what it finds changed must not be
told as certain, and what is only read is certain."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

HOLDS = {
    "itself": ("r = main.D", "r"),
    "imported": ("r = D", "r"),
    "renamed": ("q = main.D\n    r = q", "r"),
    "in a tuple": ("r = ('a', main.D)", "r[1]"),
    "in a list of tuples": ("r = [('a', main.D), ('b', None)]", "r[0][1]"),
    "appended": ("r = []\n    r.append(main.D)", "r[0]"),
    "extended": ("r = [('b', None)]\n    r.extend([('a', main.D)])", "r[1][1]"),
    "conditional": ("r = main.D if len('a') else None", "r"),
}
READS = {
    "nothing": "pass",
    "printed": "print(r)",
    "length": "return len(r)",
    "an item": "return str({o})",
    "bound again": "r = 1",
}
CHANGES = {
    "appended to": "{o}.append(2)",
    "item": "{o}[0] = 2",
    "taken out": "x = {o}\n    x[0] = 2",
    "given": "change({o})",
    "whole given": "deep(r)",
    "returned": "return r",
    "kept": "kept.append(r)",
    "in a closure": "def inner():\n        {o}[0] = 2\n    inner()",
    "by locals": "deep(locals()['r'])",
    "nonlocal": "def inner():\n        nonlocal r\n        r, s = None, r\n        deep(s)\n    inner()",
    "augmented": "x = {o}\n    x += [2]",
    "in a loop": "for x in (r if isinstance(r, (list, tuple)) else ()):\n        deep(x)",
    "in a comprehension": "[deep(x) for x in (r, None)]",
    "method": "f = {o}.append\n    f(2)",
    "unpacked": "(x,) = y = {o}\n    y[0] = 2",
    "unpacked after": "x = y = {o}\n    y[0] = 2",
    "its frame": "frame()",
}
HEAD = """import sys

import main
from main import D

kept = []


def change(x):
    x[0] = 2


def deep(x):
    for one in x if isinstance(x, (list, tuple)) else ():
        deep(one)
    if isinstance(x, list) and x[:1] == [1]:
        x[0] = 2


def frame():
    deep(sys._getframe(1).f_locals["r"])


"""
AFTER = "\n\ndeep([f(), kept, main.__dict__.get('nothing')])\n"


@pytest.mark.parametrize(("hold", "change"), [*itertools.product(HOLDS, CHANGES)])
def test_what_is_changed_by_a_variable(hold: str, change: str, tmp_path: Path) -> None:
    bound, one = HOLDS[hold]
    done = CHANGES[change].format(o=one)
    head = HEAD if change == "its frame" else HEAD.replace("sys._getframe(1).f_locals", "{}")
    other = f"{head}def f():\n    {bound}\n    {done}\n{AFTER}"
    said, seen = judged(tmp_path, {"main": "D = [1]\n", "other": other}, "D[0]")
    if ("value", 2) in seen or any(value != ("value", 1) for value in seen):
        assert said != "certain"


def test_the_changes_are_some(tmp_path: Path) -> None:
    """Real Python finds most of the product changed: the test above says something."""
    changed = 0
    for number, (hold, change) in enumerate(itertools.product(HOLDS, CHANGES)):
        bound, one = HOLDS[hold]
        other = f"{HEAD}def f():\n    {bound}\n    {CHANGES[change].format(o=one)}\n{AFTER}"
        folder = tmp_path / str(number)
        folder.mkdir()
        _, seen = judged(folder, {"main": "D = [1]\n", "other": other}, "D[0]")
        changed += any(value != ("value", 1) for value in seen)
    assert changed > len(HOLDS) * len(CHANGES) * 0.5, changed


@pytest.mark.parametrize(("hold", "read"), [*itertools.product(HOLDS, READS)])
def test_what_is_only_read_by_a_variable(hold: str, read: str, tmp_path: Path) -> None:
    bound, one = HOLDS[hold]
    other = f"import main\nfrom main import D\n\n\ndef f():\n    {bound}\n    {READS[read].format(o=one)}\n\n\nf()\n"
    said, seen = judged(tmp_path, {"main": "D = [1]\n", "other": other}, "D[0]")
    assert all(value == ("value", 1) for value in seen)
    assert said == "certain"


def test_a_table_that_is_printed(tmp_path: Path) -> None:
    other = (
        "import main\n\n\ndef report():\n    rows = [('path', main.D), ('more', 1)]\n    rows.extend([('a', 'b')])\n"
        "    for name, value in rows:\n        print(name, '.' * (9 - len(name)), value)\n\n\nreport()\n"
    )
    said, _ = judged(tmp_path, {"main": "D = [1]\n", "other": other}, "D[0]")
    assert said == "certain"


OTHERS = {
    "global": "kept.append(D)\n    kept[0].append(2)",
    "extended": "kept.extend([D])\n    kept[0].append(2)",
    "another name": "r = kept\n    r.append(D)\n    kept[0].append(2)",
    "given": "r = got()\n    r.append(D)\n    kept[0].append(2)",
    "parameter": "put(kept)\n    kept[0].append(2)",
    "loop": "for r in [kept]:\n        r.append(D)\n    kept[0].append(2)",
    "with": "with contextlib.nullcontext(kept) as r:\n        r.append(D)\n    kept[0].append(2)",
    "expression": "(r := kept)\n    r.append(D)\n    kept[0].append(2)",
    "unpacked": "r, s = kept, 1\n    r.append(D)\n    kept[0].append(2)",
    "either": "r = kept or []\n    r.append(D)",
    "two targets": "r = K.r = []\n    r.append(D)\n    K.r[0].append(2)",
    "enclosing": "r = []\n    def f():\n        r.append(D)\n    f()\n    r[0].append(2)",
    "another's method": "r = K()\n    r.append(D)",
    "the type's method": "list.append(D, 2)",
}
"""What is no list of the function's own, or not alone."""
OTHERS_HEAD = """import contextlib

from main import D

kept = []


class K:
    def append(self, x):
        x += [2]


def got():
    return kept


def put(r):
    r.append(D)


"""


@pytest.mark.parametrize("how", OTHERS)
def test_what_is_put_into_what_others_have(how: str, tmp_path: Path) -> None:
    texts = {"main": "D = [1]\n", "other": f"{OTHERS_HEAD}def later():\n    {OTHERS[how]}\n"}
    verdict, seen = judged(tmp_path, texts, "len(D)")
    assert verdict != "certain", seen
