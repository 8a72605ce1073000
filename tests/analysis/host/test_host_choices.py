"""What a file chooses by something that is not in sight: every two values that are equal and not the same, with every
way to choose; every statement that may be left out, with everything that binds a name in it. Whichever way it goes in
real Python, what is told for certain is so.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from host_told import judged, same

EQUAL = {
    "a flag": ("1", "True"), "a float": ("1", "1.0"), "a sign": ("0.0", "-0.0"), "in a tuple": ("(1, 2)", "(True, 2)"),
    "deeper": ("(1, [2])", "(1, [2.0])"), "a sign in a list": ("[0.0]", "[-0.0]"), "a value": ("{1: 2}", "{1: 2.0}"),
    "a key": ("{1: 0}", "{True: 0}"), "an order": ("{1: 0, 2: 0}", "{2: 0, 1: 0}"),
    "a constexpr": ("tl.constexpr(1)", "tl.constexpr(True)"), "a named tuple": ("P(1)", "P(True)"),
}  # fmt: skip
CHOOSE = {
    "expression": "A = {one} if t else {other}",
    "statement": "if t:\n    A = {one}\nelse:\n    A = {other}",
    "set again": "A = {one}\nif not t:\n    A = {other}",
    "function": "def f():\n    return {one} if t else {other}\nA = f()",
    "of several": "def f():\n    if t:\n        return {one}\n    return {other}\nA = f()",
    "class": "class C:\n    if t:\n        W = {one}\n    else:\n        W = {other}\nA = C.W",
    "try": "try:\n    A = ({one}, sys.argv[{index}])[0]\nexcept IndexError:\n    A = {other}",
}
HEAD = (
    "import sys\nfrom typing import NamedTuple\nimport triton.language as tl\nclass P(NamedTuple):\n    a: int\n"
    "t = len(sys.argv) {sign} 999\n"
)


@pytest.mark.parametrize(("equal", "way"), [*itertools.product(EQUAL, CHOOSE)])
def test_equals_that_are_not_the_same(equal: str, way: str, tmp_path: Path) -> None:
    one, other = EQUAL[equal]
    for sign, index in (("<", 0), (">", 999)):
        text = HEAD.format(sign=sign) + CHOOSE[way].format(one=one, other=other, index=index)
        (folder := tmp_path / str(index)).mkdir()
        verdict, _ = judged(folder, {"main": text}, "repr(A)" if equal in ("a named tuple", "a constexpr") else "A")
        assert verdict != "certain"


@pytest.mark.parametrize("way", ["expression", "statement", "set again", "class"])
def test_the_same_either_way_is_certain(way: str, tmp_path: Path) -> None:
    text = HEAD.format(sign="<") + CHOOSE[way].format(one="(1, 2)", other="(1, 2)")
    verdict, seen = judged(tmp_path, {"main": text}, "A")
    assert verdict == "certain", seen


BINDS = {
    "from": ("from a import N", "N"),
    "import": ("import a as b", "b.N"),
    "star": ("from a import *", "N"),
    "function": ("def f():\n    return 1", "f()"),
    "class": ("class C:\n    N = 1", "C.N"),
    "as a builtin": ("from a import N as max", "max"),
}
BEFORE = "from z import N\nimport z as b\ndef f():\n    return 0\nclass C:\n    N = 0\nmax = 0\n"
LEAVES_OUT = {
    "for": "for _ in sys.argv[999:]:\n{body}",
    "for else": "for _ in sys.argv:\n    break\nelse:\n{body}",
    "while": "while len(sys.argv) > 999:\n{body}",
    "while else": "while sys.argv:\n    break\nelse:\n{body}",
    "match": "match len(sys.argv):\n    case 999:\n{deep}",
    "with": "with contextlib.suppress(IndexError):\n    sys.argv[999]\n{body}",
    "deeper": "for _ in sys.argv[999:]:\n    with contextlib.nullcontext():\n{deep}",
    "try*": "try:\n    pass\nexcept* ValueError:\n{body}",
}


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


@pytest.mark.parametrize(("around", "binds"), [*itertools.product(LEAVES_OUT, BINDS)])
def test_what_a_statement_may_leave_out(around: str, binds: str, tmp_path: Path) -> None:
    if around == "try*" and sys.version_info < (3, 11):
        pytest.skip("Python 3.10 has no such statement")
    body, question = BINDS[binds]
    text = LEAVES_OUT[around].format(body=indented(body, 4), deep=indented(body, 8))
    texts = {"z": "N = 0\n", "a": "N = 1\n", "main": f"import contextlib, sys\n{BEFORE}{text}\n"}
    verdict, seen = judged(tmp_path, texts, question)
    assert all(same(there, ("value", 0)) for there in seen)
    assert verdict != "certain"
