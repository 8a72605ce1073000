"""What can be gone through once, kept in everything that keeps a value, and gone through twice: what the second time
finds is not certain to be what was there. Each case is run by real Python.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_told import judged

MADE = {
    "zip": "zip([1], [2])", "map": "map(str, [1])", "filter": "filter(None, [1])", "enumerate": "enumerate([1])",
    "reversed": "reversed([1])", "generator": "(x for x in [1])", "product": "itertools.product([1])",
    "iter": "iter([1])", "function": "gives()",
}  # fmt: skip
IN = {
    "itself": ("{it}", ""), "tuple": ("({it}, 1)", "[0]"), "list": ("[{it}]", "[0]"),
    "dict": ("{{'a': {it}}}", "['a']"),
    "deep": ("({{1: [{it}]}}, 2)", "[0][1][0]"), "record": ("P({it})", ".a"), "object": ("O({it})", ".a"),
    "call": ("dict(a={it})", "['a']"),
}  # fmt: skip
"""What it is kept in, and how it is got out of that."""
HEAD = """import functools, itertools
from collections import namedtuple

P = namedtuple("P", "a")


class O:
    def __init__(self, a):
        self.a = a


def gives():
    return zip([1], [2])


def again(x):
    return len(list(x))


"""
KEPT = {
    "name": "kept = {made}\nagain(kept{way})\nSAID = again(kept{way})",
    "of a class": "class C:\n    kept = {made}\n\nagain(C.kept{way})\nSAID = again(C.kept{way})",
    "parameter": "def f(kept):\n    again(kept{way})\n    return again(kept{way})\n\nSAID = f({made})",
    "starred": "def f(*kept):\n    again(kept[0]{way})\n    return again(kept[0]{way})\n\nSAID = f({made})",
    "keywords": "def f(**kept):\n    again(kept['a']{way})\n    return again(kept['a']{way})\n\nSAID = f(a={made})",
    "default": "def f(kept={made}):\n    return again(kept{way})\n\nf()\nSAID = f()",
    "lambda's": "f = lambda kept={made}: again(kept{way})\nf()\nSAID = f()",
    "closure": "def f():\n    kept = {made}\n    g = lambda: again(kept{way})\n    g()\n    return g()\n\nSAID = f()",
    "remembered": "@functools.lru_cache\ndef f():\n    return {made}\n\nagain(f(){way})\nSAID = again(f(){way})",
    "bound": "f = functools.partial(lambda kept: again(kept{way}), {made})\nf()\nSAID = f()",
    "bound by a name": "f = functools.partial(lambda kept: again(kept{way}), kept={made})\nf()\nSAID = f()",
    "multiplied": "SAID = [again(kept{way}) for kept in [{made}] * 2][1]",
    "mapped": "SAID = list(map(lambda kept: again(kept{way}), [{made}] * 2))[1]",
    "a loop's": "SAID = 0\nfor kept in [{made}]:\n    again(kept{way})\n    SAID = again(kept{way})",
    "of another file": "import config\n\nagain(config.kept{way})\nSAID = again(config.kept{way})",
    "imported": "from config import kept\n\nagain(kept{way})\nSAID = again(kept{way})",
    "walrus": "SAID = (again((kept := {made}){way}), again(kept{way}))[1]",
}  # fmt: skip


@pytest.mark.parametrize("kept", KEPT)
def test_what_is_gone_through_twice(kept: str, tmp_path: Path) -> None:
    for (what, it), (where, (whole, way)) in itertools.product(MADE.items(), IN.items()):
        if what != "zip" and where != "tuple":
            continue
        made = whole.format(it=it)
        texts = {"config": f"{HEAD}kept = {made}\n", "main": HEAD + KEPT[kept].format(made=made, way=way)}
        folder = tmp_path / f"{what} {where}"
        folder.mkdir()
        how, seen = judged(folder, texts, "SAID")
        assert how != "certain" or seen == [("value", 1)], (what, where, seen)


@pytest.mark.parametrize("where", sorted(IN.keys() - {"record", "object"}))
def test_what_is_gone_through_once_is_certain(where: str, tmp_path: Path) -> None:
    whole, way = IN[where]
    text = f"{HEAD}SAID = len(list({whole.format(it=MADE['zip'])}{way}))"
    assert judged(tmp_path, {"main": text}, "SAID") == ("certain", [("value", 1)])
