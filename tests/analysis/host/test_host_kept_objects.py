"""Objects that keep what they are given: every way to make a class of such with everything that changes what one of
them has. What is told for certain must be what Python has at every moment."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from host_python import Raises, answers
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

DATACLASS = "import dataclasses\n\n\n@dataclasses.dataclass\nclass C:\n    x: int = 0\n    y: int = 3\n"
PLAIN = "class C:\n    def __init__(self, x=0, y=3):\n        self.x = x\n        self.y = y\n"
CLASSES = {
    "dataclass": DATACLASS,
    "frozen": DATACLASS.replace("dataclass\nclass", "dataclass(frozen=True)\nclass"),
    "slots": DATACLASS.replace("dataclass\nclass", "dataclass(slots=True)\nclass"),
    "derived": DATACLASS.replace("class C", "class B") + "\n\n@dataclasses.dataclass\nclass C(B):\n    z: int = 1\n",
    "plain": PLAIN,
    "by a base": PLAIN.replace("class C", "class B") + "\n\nclass C(B):\n    k = 5\n",
    "by super": PLAIN.replace("class C", "class B")
    + "\n\nclass C(B):\n    def __init__(self, x):\n        super().__init__(x)\n",
    "of the class": "class C:\n    x = 1\n\n    def __init__(self, x):\n        pass\n",
    "namespace": "import types\n\n\ndef C(x):\n    return types.SimpleNamespace(x=x)\n",
    "factory": DATACLASS.replace("int = 0", "int = dataclasses.field(default_factory=int)"),
    "post": DATACLASS + "\n    def __post_init__(self):\n        self.y = self.x\n",
    "property": "class C:\n    def __init__(self, x):\n        self._x = x\n\n    @property\n    def x(self):\n"
    "        return self._x\n",
    "named tuple": "import typing\n\n\nclass C(typing.NamedTuple):\n    x: int = 0\n",
}
CHANGES = {
    "nothing": "pass",
    "store": "c.x = 5",
    "private": "c._x = 5",
    "setattr": "setattr(c, 'x', 5)",
    "setattr computed": "setattr(c, 'X'.lower(), 5)",
    "setattr private": "setattr(c, '_X'.lower(), 5)",
    "of object": "object.__setattr__(c, 'x', 5)",
    "dict": "c.__dict__['x'] = 5",
    "dict private": "c.__dict__['_x'] = 5",
    "vars": "vars(c)['x'] = 5",
    "update": "c.__dict__.update(x=5, _x=5)",
    "another dict": "c.__dict__ = {'x': 5, '_x': 5}",
    "alias": "d = c\nd.x = 5",
    "alias private": "d = c\nd._x = 5",
    "function": "def f(o):\n    o.x = o._x = 5\n\n\nf(c)",
    "list": "[c][0].x = 5",
    "kept": "K = {'c': c}\nK['c'].x = 5",
    "loop": "for o in (c,):\n    o.x = 5",
    "comprehension": "[setattr(o, 'x', 5) for o in (c,)]",
    "target of a loop": "for c.x in [5]:\n    pass",
    "target of a comprehension": "[0 for c.x in [5]]",
    "target of with": "import contextlib\n\nwith contextlib.nullcontext(5) as c.x:\n    pass",
    "unpacked": "c.x, k = 5, 6",
    "augmented": "c.x += 4",
    "annotated": "c.x: int = 5",
    "deleted": "del c.x",
    "init again": "c.__init__(5)",
    "class init": "C.__init__(c, 5)",
    "later": "def later():\n    c.x = 5",
    "later private": "def later():\n    c._x = 5",
    "later another": "def later():\n    global c\n    c = C(5)",
    "again": "c = C(5)",
    "class": "class D:\n    x = 5\n\n\nc.__class__ = D",
    "property": "C.x = property(lambda self: 5)",
    "property of a base": "C.__mro__[-2].x = property(lambda self: 5)",
    "getattribute": "C.__getattribute__ = lambda self, name: 5",
    "by type": "type(c).x = property(lambda self: 5)",
    "set by type": "setattr(type(c), 'x', property(lambda self: 5))",
    "class attribute": "C.x = 5",
    "globals": "globals()['c'].x = 5",
    "module": "import sys\n\nsys.modules[__name__].c.x = 5",
    "weak": "import weakref\n\nweakref.ref(c)().x = 5",
    "collector": "import gc\n\n[o for o in gc.get_objects() if type(o).__name__ == 'C'][-1].x = 5",
    "partial": "import functools\n\nfunctools.partial(setattr, c, 'x')(5)",
    "map": "list(map(setattr, [c], ['x'], [5]))",
    "attrgetter": "import operator\n\noperator.attrgetter('c')(__import__('main')).x = 5",
    "walrus": "print(d := c)\nd.x = 5",
    "default": "def f(o=c):\n    o.x = 5\n\n\nf()",
    "closure": "def f():\n    return lambda: setattr(c, 'x', 5)\n\n\nf()()",
    "thread": "import threading\n\nt = threading.Thread(target=lambda: setattr(c, 'x', 5))\nt.start()\nt.join()",
    "held in a class": "class K:\n    held = c\n\n\nK.held.x = 5",
    "bound method": "c.__setattr__('x', 5)",
    "copy": "import copy\n\ncopy.copy(c).x = 5",
    "replaced": "import dataclasses\n\nif dataclasses.is_dataclass(c):\n    dataclasses.replace(c, x=5)",
    "match": "match c:\n    case d:\n        d.x = 5",
    "exec": "exec('c.x = 5')",
}


@pytest.mark.parametrize(("cls", "change"), [*itertools.product(CLASSES, CHANGES)])
def test_what_an_object_has(cls: str, change: str, tmp_path: Path) -> None:
    text = f"{CLASSES[cls]}\n\nc = C(1)\n{CHANGES[change]}\n"
    held(tmp_path, {"main": text}, "c.x", certain=change == "nothing")


def held(folder: Path, texts: dict[str, str], question: str, certain: bool = False) -> None:
    try:
        (seen,) = answers(texts, "main", [question], "later")
    except Raises:
        return
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    ((value, why),) = told(Project([str(folder)], [], patient=True), folder / "main.py", [question])
    if value is not UNTOLD and not why:
        assert all(kind == "value" and same(value, real) for kind, real in seen), seen
    assert value is not UNTOLD and not why or not certain
