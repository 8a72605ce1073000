"""A class that is handed to other code: every way to hand it on with every thing that may be done with it there, each
run by real Python. What it finds changed must not be told as certain; where nothing is done, it must be.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_told import judged
from test_host_handed import OTHER
from test_host_handed import SETS as SETS_OF_A_MODULE

from products import product

NOT_OF_A_CLASS = {"dict", "update", "vars", "dunder"}
SETS = {
    **{name: body for name, body in SETS_OF_A_MODULE.items() if name not in NOT_OF_A_CLASS},
    "type's": "type.__setattr__(m, 'N', 2)",
    "keywords": "for name, value in dict(N=2).items():\n        setattr(m, name, value)",
    "decorator": "def sets(name):\n        def inner(value):\n            setattr(m, name, value)\n"
    "        return inner\n    sets('N')(2)",
    "class of an object": "type(m()).N = 2",
    "its class": "m().__class__.N = 2",
    "namespace": "import argparse\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--N', type=int)\n"
    "    parser.parse_args(['--N', '2'], namespace=m)",
    "patch.multiple": "from unittest import mock\n    mock.patch.multiple(m, N=2).start()",
}
READS = {
    "attribute": "return m.N",
    "made": "return m()",
    "tested": "return isinstance(m, type)",
    "what is of it": "return isinstance(1, m) or issubclass(int, m)",
    "printed": "print(m)",
    "name": "return m.__name__",
    "called": "return m.make()",
    "other": "m.M = 2",
    "an object": "k = m()\n    k.N = 2",
}
HANDED = {
    "plain": "import main\nimport other\n\nother.on(main.C)\n",
    "from": "from main import C\nfrom other import on\n\non(C)\n",
    "named": "from main import C as D\nfrom other import on as switch\n\nswitch(D)\n",
    "keyword": "import main\nimport other\n\nother.on(m=main.C)\n",
    "in a function": "import main\nimport other\n\n\ndef start():\n    other.on(main.C)\n\n\nstart()\n",
    "a further name": "import main\nimport other\n\nD = main.C\nother.on(D)\n",
    "star": "from main import *\nimport other\n\nother.on(C)\n",
    "condition": "import main\nimport other\n\nother.on(main.C if main else None)\n",
}
ALIASED = {
    "imported": "from main import D\nfrom other import on\n\non(D)\n",
    "of the module": "import main\nimport other\n\nother.on(main.D)\n",
    "renamed again": "from main import D as E\nimport other\n\nF = E\nother.on(F)\n",
    "set there": "from main import D\nimport other\n\nD.N = 2\n",
}
"""Who has it by a further name that its own file gives it."""
UNSEEN = {
    "list": "import main\nimport other\n\nfor each in [main.C]:\n    other.on(each)\n",
    "map": "import main\nimport other\n\nlist(map(other.on, [main.C]))\n",
    "method": "import main\nimport other\n\nother.Holder().method(main.C)\n",
    "object": "import main\nimport other\n\nother.Holder()(main.C)\n",
    "partial": "import functools\n\nimport main\nimport other\n\nfunctools.partial(other.on, main.C)()\n",
    "dict": "import main\nimport other\n\nother.on(**{'m': main.C})\n",
    "decorated": "import main\nimport other\n\n\ndef deco(c):\n    other.on(c)\n    return c\n\n\ndeco(main.C)\n",
    "returned": "import main\nimport other\n\n\ndef which():\n    return main.C\n\n\nother.on(which())\n",
    "default": "import other\nimport main\n\n\ndef start(c=main.C):\n    other.on(c)\n\n\nstart()\n",
    "taken": "import main\nimport other\n\nother.on(getattr(main, 'C'))\n",
    "each": "import main\nimport other\n\nfor word in dir(main):\n    if word == 'C':\n"
    "        other.on(getattr(main, word))\n",
    "looked up": "import main\nimport other\n\nother.on(vars(main)['C'])\n",
    "among its own": "from main import *\nimport other\n\nother.on(globals()['C'])\n",
    "handed on again": "import again\nimport other\n\nother.on(again.C)\n",
}
MAIN = "class C:\n    N = 1\n    M = 1\n\n    @staticmethod\n    def make():\n        return C()\n"


def _texts(hand: str, body: str) -> dict[str, str]:
    deep = body.replace("\n", "\n    ")
    other = OTHER.format(body=body, deep=deep)
    return {"main": MAIN, "other": other, "again": "from main import *\n", "plugin": hand}


@pytest.mark.parametrize(("hand", "body"), product({**HANDED, **UNSEEN}, SETS))
def test_what_is_set(hand: str, body: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, _texts({**HANDED, **UNSEEN}[hand], SETS[body]), "C.N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


OBJECTS = {
    "plain": "class K:\n    pass\n\n\nk = K()\nk.N = 2\n",
    "derived": "import ctypes\n\n\nclass K(ctypes.Structure):\n    _fields_ = [('N', ctypes.c_int)]\n\n\n"
    "k = K()\nk.N = 2\n",
    "with a default": "class K:\n    N = 3\n\n\nk = K()\nk.N = 2\n",
    "in a function": "class K:\n    pass\n\n\ndef start():\n    k = K()\n    k.N = 2\n\n\nstart()\n",
}
CLASSES = {
    "__new__": "class K:\n    def __new__(cls):\n        return C\n\n\nk = K()\nk.N = 2\n",
    "__setattr__": "class K:\n    def __setattr__(self, name, value):\n        setattr(C, name, value)\n\n\n"
    "k = K()\nk.N = 2\n",
    "property": "class K:\n    def put(self, value):\n        type.__setattr__(C, 'N', value)\n\n"
    "    N = property(None, put)\n\n\nk = K()\nk.N = 2\n",
    "by a base": "class B:\n    def __new__(cls):\n        return C\n\n\nclass K(B):\n    pass\n\n\nk = K()\nk.N = 2\n",
    "metaclass": "class M(type):\n    def __call__(cls):\n        return C\n\n\n"
    "class K(metaclass=M):\n    pass\n\n\nk = K()\nk.N = 2\n",
    "decorator": "@lambda cls: lambda: C\nclass K:\n    pass\n\n\nk = K()\nk.N = 2\n",
    "bound again": "class K:\n    pass\n\n\nk = K()\nk = C\nk.N = 2\n",
}


@pytest.mark.parametrize("made", OBJECTS)
def test_what_is_set_in_an_object(made: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"main": MAIN, "plugin": f"from main import C\n\n\n{OBJECTS[made]}"}, "C.N")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"


@pytest.mark.parametrize("made", CLASSES)
def test_what_is_set_in_a_class_that_a_call_gives(made: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"main": MAIN, "plugin": f"from main import C\n\n\n{CLASSES[made]}"}, "C.N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize("alias", ["D = C\n", "D = C  # the name that it had before\n"])
@pytest.mark.parametrize(("hand", "body"), product(ALIASED, SETS))
def test_what_is_set_by_a_further_name(hand: str, body: str, alias: str, tmp_path: Path) -> None:
    texts = _texts(ALIASED[hand], SETS[body])
    said, seen = judged(tmp_path, {**texts, "main": f"{MAIN}\n\n{alias}"}, "C.N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(("hand", "body"), product(HANDED, READS))
def test_what_is_read(hand: str, body: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, _texts(HANDED[hand], READS[body]), "C.N")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"
