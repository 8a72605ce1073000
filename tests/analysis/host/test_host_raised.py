"""What is raised inside of a ``try``: whatever raises, put wherever Python computes it, must never leave certain what
stands behind it. Each case is run by real Python.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from host_told import judged

INSTALLED = [path for path in sys.path if Path(path).is_dir()]
RAISES = {
    "number": "1 // 0", "key": "{}['a']", "no key": "{[1]: 2}", "in a set": "{(1, []), 2}",
    "asked in a dict": "[] in {}", "asked in a set": "{1} not in {2}", "index": "[][0]", "of a text": "'ab'[2]",
    "attribute": "(1).frob",
    "of a list": "[].frob", "of a tuple": "(1, 2).copy()", "call": "(3)()", "name": "undefined_name",
    "imported name": "math.frob", "conversion": "int('x')", "sum of kinds": "1 + 'a'", "order": "1 < 'a'",
    "sorted": "sorted([1, 'a'])", "of nothing": "max([])", "format": "f'{1.5:d}'", "percent": "'%d' % 'a'",
    "unpacked": "[a for a, b in [(1,)]]", "spread": "[*5]", "star star": "{**{1: 2}, **3}", "argument": "len(1, 2)",
    "helper's argument": "helper()", "asserts": "asserts(0)", "stores": "stores(())", "deletes": "deletes({})",
    "expression": "computes([])", "attribute set": "sets(3)", "imports": "imports()", "unpacks": "unpacks((1,))",
    "default": "defaults([])", "class": "classes([])", "annotated": "annotated([])", "raises": "raises()",
    "with": "opens('/nowhere/at/all')", "in place": "adds(1)", "loop": "loops(5)", "triton": "tl.frob",
    "of a dtype": "tl.float32.frob",
}  # fmt: skip
HEAD = """import math
import triton.language as tl


def helper(a): return a
def asserts(a):
    assert a
def stores(a): a[0] = 1
def deletes(a):
    del a['x']
def computes(a):
    a[0]
def sets(a): a.frob = 1
def imports():
    import nowhere_at_all
def unpacks(a): x, y = a
def defaults(a):
    def f(x=a[0]): pass
def classes(a):
    class C:
        x = a[0]
def annotated(a):
    def f(x: a[0]): pass
def raises(): raise KeyError
def opens(a):
    with open(a): pass
def adds(a): a += 'x'
def loops(a):
    for x in a: pass


"""
INSIDE = {
    "assigned": "x = {it}\n{then}",
    "computed": "{it}\n{then}",
    "in a list": "x = [{it}, 2]\n{then}",
    "beside": "x = len([{it}, 2])\n{then}",
    "as an argument": "x = (lambda a, b: b)({it}, 2)\n{then}",
    "in a lambda": "x = (lambda: [{it}])()\n{then}",
    "in a condition": "x = 1 if {it} else 1\n{then}",
    "in an if": "if {it}: pass\n{then}",
    "in a comprehension": "x = [({it}, y)[1] for y in (1, 2)]\n{then}",
    "as a value": "x = {{'a': {it}, 'b': 1}}['b']\n{then}",
    "in a loop": "for x in (1, 2):\n    y = {it}\n{then}",
    "default": "def f(x={it}): pass\n{then}",
    "annotation": "def f() -> [{it}]: pass\n{then}",
    "decorator": "@{it}\ndef f(): pass\n{then}",
    "class": "class C:\n    x = {it}\n{then}",
    "base": "class C([{it}]): pass\n{then}",
    "annotated": "x: [{it}] = 1\n{then}",
    "unpacked": "x, y = [{it}], 1\n{then}",
    "stored": "x = [0]\nx[0] = {it}\n{then}",
    "appended": "x = []\nx.append({it})\n{then}",
    "asserted": "assert [{it}]\n{then}",
    "deleted": "x = [0]\ndel x[[{it}] and 0]\n{then}",
    "in an inner try": "try:\n    x = {it}\nfinally:\n    y = 2\n{then}",
}
ROUND = {
    "module": "try:\n    {body}\nexcept Exception:\n    SAID = 9\n",
    "function": "def f():\n    try:\n        {body}\n    except Exception:\n        return 9\n\n\nSAID = f()\n",
    "else": (
        "def f():\n    try:\n        {body}\n    except Exception:\n        n = 9\n    else:\n        n = SAID\n"
        "    return n\n\n\nSAID = f()\n"
    ),
}
THEN = {"module": "SAID = 1", "function": "return 1", "else": "SAID = 1"}


@pytest.mark.parametrize(("around", "inside"), [*itertools.product(ROUND, INSIDE)])
def test_what_stands_behind_it_is_not_certain(around: str, inside: str, tmp_path: Path) -> None:
    for what, it in RAISES.items():
        body = INSIDE[inside].format(it=it, then=THEN[around])
        text = HEAD + ROUND[around].format(body=body.replace("\n", "\n" + " " * (4 if around == "module" else 8)))
        (tmp_path / what).mkdir()
        how, seen = judged(tmp_path / what, {"main": text}, "SAID", INSTALLED)
        assert how != "certain" or seen == [("value", 1)], (what, seen)


GOES_WELL = {
    "arithmetic": "x = 7 // 2 * 3", "containers": "x = [1, {'a': (2, 3)}]\nx.append(4)\nx[0] = 2",
    "call": "x = helper(4) + len('ab')",
    "text": "x = f'{1.5:.2f}' + 'a,b'.split(',')[1]", "lookup": "x = {1: 2, (3, 4): 5}[(3, 4)]",
    "loop": "x = 0\nfor y in range(3):\n    x += y",
    "branch": "if 1 < 2 and not 3 == 4:\n    x = 1", "set": "x = 2 in {1, 2}",
    "asserts": "assert 1 < 2, 'no'", "unpacks": "x, (y, z) = 1, (2, 3)", "math": "x = math.ceil(5 / 2)",
    "triton": "x = tl.float32", "function": "def g(x: int = 1) -> float: pass",
}  # fmt: skip


@pytest.mark.parametrize("what", GOES_WELL)
def test_what_stands_behind_what_goes_well_is_certain(what: str, tmp_path: Path) -> None:
    body = f"{GOES_WELL[what]}\nreturn 1".replace("\n", "\n        ")
    how, seen = judged(tmp_path, {"main": HEAD + ROUND["function"].format(body=body)}, "SAID", INSTALLED)
    assert (how, seen) == ("certain", [("value", 1)])


ONLY_IMPORTS = """try:
    import triton
    import triton.language as tl

    @tl.core.must_use_result('so')
    def f(): pass
    SAID = 1
except {}:
    SAID = 9
"""
CAUGHT = {
    "ImportError": "certain",
    "(ImportError, ModuleNotFoundError)": "certain",
    "Exception": "guess",
    "(ImportError, ValueError)": "guess",
}


@pytest.mark.parametrize(("caught", "how"), CAUGHT.items())
def test_what_is_raised_is_what_is_caught(caught: str, how: str, tmp_path: Path) -> None:
    assert judged(tmp_path, {"main": ONLY_IMPORTS.format(caught)}, "SAID", INSTALLED) == (how, [("value", 1)])
