"""A class that kernels alone have, and one that host code has by an object, by what it derives from or by a name: what
is set on the class of some object may be set on the second, and is nothing of the first. Annotations that only say what
something is, and those that do something, as real Python runs them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from small_projects import find
from test_host_handed_objects import AGGREGATE, answered

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project

AMONG_KERNELS = (
    AGGREGATE.replace("C(p).go()", "made(p).go()")
    + """

@triton.jit
def made(p):
    return C(p)
"""
)
UNRELATED = {
    "type": "def look(x):\n    other.on(type(x), 'go', main.put)\n\n\nclass Mine:\n    go = 1\n\n\nlook(Mine())\n",
    "a base": "class Mine:\n    go = 1\n\n\nclass Sub(Mine):\n    pass\n\n\ndef look(k):\n"
    "    other.on(k.__mro__[1], 'go', main.put)\n\n\nlook(Sub)\n",
    "set there": "class Mine:\n    go = 1\n\n\ndef look(x):\n    x.__class__.go = main.put\n\n\nlook(Mine())\n",
}
SAYS = {
    "a field": "class K:\n    a: C = None\n",
    "a variable": "v: C = None\n",
    "a parameter": "def f(a: C):\n    pass\n",
    "a result": "def f() -> C:\n    pass\n",
}
DOES = {
    "a field": "class K:\n    a: other.on(C, 'go', put) = None\n",
    "a variable": "v: other.on(C, 'go', put) = None\n",
    "a parameter": "def f(a: other.on(C, 'go', put)):\n    pass\n",
    "a result": "def f() -> other.on(C, 'go', put):\n    pass\n",
    "an item": "class Of:\n    def __class_getitem__(cls, k):\n        return other.on(k, 'go', put)\n\n\n"
    "v: Of[C] = None\n",
}
HAD = {
    "an object": "C(1)\n",
    "handed on": "keep = [C]\n",
    "derived": "class Sub(C):\n    pass\n",
    "by a function": "@triton.constexpr_function\ndef make(p):\n    return C(p)\n",
    "elsewhere": "",
    "by text": "def find(name):\n    return globals()[name]\n",
}


@pytest.mark.parametrize("had", ["", *HAD])
@pytest.mark.parametrize("way", UNRELATED)
def test_what_is_of_an_object_that_may_be_of_the_class(way: str, had: str, tmp_path: Path) -> None:
    """It may be of a class that host code makes objects of, or has; no object is of one that kernels alone have."""
    plugin = f"import main\nimport other\n\n\n{UNRELATED[way]}" + ("k = main.C\n" if had == "elsewhere" else "")
    texts = {
        "main": AMONG_KERNELS + (f"\n\n{HAD[had]}" if had else ""),
        "other": "def on(k, n, g):\n    setattr(k, 'go', g)\n",
        "plugin": plugin,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    found = cut(project, find(project, tmp_path / "main.py", "kernel")).aggregates[0]
    assert ("go" in found.varies) == bool(had)


@pytest.mark.parametrize(("place", "does"), [*((p, False) for p in SAYS), *((p, True) for p in DOES)])
def test_what_an_annotation_does(place: str, does: bool, tmp_path: Path) -> None:
    main = AGGREGATE.replace("@triton.jit\ndef put", "import other\n\n\n@triton.jit\ndef put", 1)
    texts = {
        "other": "def on(k, n, g):\n    setattr(k, n, g)\n",
        "main": f"{main}\n\n{(DOES if does else SAYS)[place]}",
    }
    seen = answered(texts, "(C.go.fn.__name__, C.go.src)")
    assert (seen[-1] != answered({"main": AGGREGATE}, "(C.go.fn.__name__, C.go.src)")[-1]) == does
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (found,) = cut(project, find(project, tmp_path / "main.py", "kernel")).aggregates
    assert ("go" in found.varies) == does
