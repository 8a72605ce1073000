"""A ``constexpr`` or a jit function that is handed to other code, and a class that is had by what it is to another:
every way to get it with every thing that may be done with it there, each run by real Python. What it finds changed is
not fixed in a kernel; where nothing is done, it must be.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from host_python import answers, show_sources
from host_told import judged
from small_projects import find
from test_host_handed import OTHER, SETS
from test_host_handed_classes import HANDED, UNSEEN
from test_host_handed_classes import MAIN as CLASS
from test_host_handed_classes import SETS as SETS_OF_A_CLASS

from kernel_analysis.kernels.cut import NotCut, cut
from kernel_analysis.kernels.project import Project
from products import product

HEAD = "import triton\nimport triton.language as tl\n\n\n"
MAINS = {
    "value": f"{HEAD}C = tl.constexpr(1)\n\n\n@triton.jit\ndef kernel(p):\n    if C == 2:\n        tl.store(p, 1)\n",
    "fn": f"{HEAD}@triton.jit\ndef C(p):\n    pass\n\n\n@triton.jit\ndef kernel(p):\n    C(p)\n",
    "_src": f"{HEAD}@triton.jit\ndef C(p):\n    pass\n\n\n@triton.jit\ndef kernel(p):\n    C(p)\n",
}
"""With what of it is set."""
MORE_SETS = {
    "made anew": "m.__init__(2 if 'N' == 'value' else function)",
    "all of another": "m.__dict__.update(another.__dict__)",
    "each of another": "for name, value in vars(another).items():\n        setattr(m, name, value)",
    "wrapped": "import functools\n    functools.update_wrapper(m, another)",
    "wrapped by hand": "import functools\n    functools.wraps(another)(m)",
    "the whole dict": "m.__dict__ = {**m.__dict__, 'N': 2}",
    "merged": "m.__dict__ |= {'N': 2}",
    "taken": "getattr(m, '__dict__')['N'] = 2",
    "object's": "object.__setattr__(m, 'N', 2)",
    "parsed": "import argparse\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--N', type=int)\n"
    "    parser.parse_args(['--N', '2'], namespace=m)",
    "patch.multiple": "from unittest import mock\n    mock.patch.multiple(m, N=2).start()",
    "patch.object": "from unittest import mock\n    mock.patch.object(m, 'N', 2).start()",
}
MORE = "\n\ndef function():\n    return 1\n\n\nclass Another:\n    pass\n\n\nanother = Another()\nanother.N = 2\n"
READS = {
    "attribute": "return m.N",
    "tested": "return isinstance(m, int)",
    "printed": "print(m)",
    "other": "m.other = 2",
    "passed": "look(m)",
    "either": "return m if m is not None else 1",
    "an object": "class K:\n        pass\n\n    k = K()\n    k.N = 2",
}
RELATED = {
    "__mro__": "other.on(Sub.__mro__[1])\n",
    "__bases__": "other.on(Sub.__bases__[0])\n",
    "__base__": "other.on(Sub.__base__)\n",
    "mro": "other.on(Sub.mro()[1])\n",
    "its objects'": "other.on(type(Sub()).__base__)\n",
    "type": "other.on(type(main.C()))\n",
    "__class__": "other.on(main.C().__class__)\n",
    "a further name": "K = type(main.C())\nother.on(K)\n",
    "each": "for k in Sub.__mro__[1:2]:\n    other.on(k)\n",
    "each of several": "for k in Sub.__bases__:\n    other.on(k)\n",
    "comprehension": "[other.on(k) for k in Sub.__bases__]\n",
    "unpacked": "(K,) = Sub.__bases__\nother.on(K)\n",
    "map": "list(map(other.on, Sub.__bases__))\n",
    "map type": "list(map(other.on, map(type, [main.C()])))\n",
    "getmro": "import inspect\n\nother.on(inspect.getmro(Sub)[1])\n",
    "by text": "other.on(getattr(Sub, '__base__'))\n",
    "subclasses": "other.on(Base.__subclasses__()[0])\n",
    "super": "class Two(main.C):\n    def f(self):\n        return super().__thisclass__.__base__\n\n\n"
    "other.on(Two().f())\n",
    "super's": "other.on(super(Sub, Sub()).__self_class__.__base__)\n",
    "in a function": "def start():\n    for k in Sub.__mro__:\n        if k is main.C:\n            other.on(k)\n\n\n"
    "start()\n",
    "in what it is handed to": "def patch(k):\n    other.on(k.__base__)\n\n\npatch(Sub)\n",
}
APART = {
    "__mro__": "other.on(Sub.__mro__[1])\n",
    "__bases__": "other.on(Sub.__bases__[0])\n",
    "__base__": "other.on(Sub.__base__)\n",
    "mro": "other.on(Sub.mro()[1])\n",
    "each": "for k in Sub.__mro__[1:2]:\n    other.on(k)\n",
    "in a function": "def start():\n    other.on(Sub.__base__)\n\n\nstart()\n",
}
HEIRS = {
    "derives": "class Sub(Plain, main.C):\n    pass\n\n\nother.on(Sub.__bases__[1])\n",
    "derives further": "class Near(main.C):\n    pass\n\n\nclass Sub(Near):\n    pass\n\n\nother.on(Sub.__mro__[2])\n",
    "another name": "Sub = main.C\nother.on(Sub.__mro__[0])\n",
    "bound again": "class Sub:\n    pass\n\n\nSub = main.C\nother.on(Sub.mro()[0])\n",
    "decorated": "def same(k):\n    return main.C\n\n\n@same\nclass Sub:\n    pass\n\n\nother.on(Sub.__mro__[0])\n",
    "computed": "class Sub(*[main.C]):\n    pass\n\n\nother.on(Sub.__base__)\n",
    "given": "def get():\n    return main.C\n\n\nclass Sub(get()):\n    pass\n\n\nother.on(Sub.__base__)\n",
    "set": "class Sub(Plain):\n    pass\n\n\nSub.__bases__ = (main.C,)\nother.on(Sub.__base__)\n",
    "its metaclass's": "class Meta(type):\n    def mro(cls):\n        return [cls, main.C, object]\n\n\n"
    "class Sub(metaclass=Meta):\n    pass\n\n\nother.on(Sub.__mro__[1])\n",
    "its entries": "class Entries:\n    def __mro_entries__(self, bases):\n        return (main.C,)\n\n\n"
    "E = Entries()\n\n\nclass Sub(E):\n    pass\n\n\nother.on(Sub.__base__)\n",
    "put there": "class Sub:\n    pass\n\n\ndef start():\n    import sys\n    sys.modules[__name__].Sub = main.C\n"
    "    other.on(Sub.__mro__[0])\n\n\nstart()\n",
}
DERIVED = "import main\nimport other\nfrom main import Base\n\n\nclass Sub(main.C):\n    pass\n\n\n"
PLAIN = "class Plain:\n    pass\n\n\n"
BASE = f"class Base:\n    pass\n\n\n{CLASS.replace('class C:', 'class C(Base):')}"


def _texts(main: str, hand: str, body: str) -> dict[str, str]:
    other = OTHER.format(body=body, deep=body.replace("\n", "\n    ")) + MORE
    return {"main": main, "other": other, "again": "from main import *\n", "plugin": hand}


def _of(texts: dict[str, str], attribute: str) -> dict[str, str]:
    return {name: text if name == "main" else re.sub(r"\bN\b", attribute, text) for name, text in texts.items()}


def _is_fixed(folder: Path, texts: dict[str, str]) -> bool:
    """Whether all that a kernel uses is what it seems to be."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    try:
        made = cut(project, find(project, folder / "main.py", "kernel"))
    except NotCut:
        return False
    return not any(function.varies for function in made.functions)


def _seen(texts: dict[str, str], attribute: str) -> bool:
    """Whether it is changed when real Python has run all of that."""
    seen = answered(texts, f"C.{attribute}")
    return any(value != seen[0] for value in seen)


def answered(texts: dict[str, str], question: str) -> list[tuple[str, str]]:
    show_sources(texts)
    (seen,) = answers(texts, "main", [f"repr(getattr({question}, '__name__', {question}))"], "later")
    return seen


BY_NAME = {
    "attribute", "augmented", "unpacked", "loop", "setattr", "renamed", "either", "inner", "lambda", "passed",
    "keyword", "object's", "patch.object",
}  # fmt: skip
NOT_FOLLOWED = {"default", "dict", "each", "list", "map", "method", "object", "partial", "returned"}


def _is_asked(hand: str, body: str, attribute: str) -> bool:
    """Kernels go about as values in every program: what may be set in one by no name, or by code that is not in sight,
    is asked only of the texts that Triton compiles."""
    if attribute == "_src":
        return hand != "handed on again" or body in BY_NAME
    return attribute != "fn" or body in BY_NAME and hand not in NOT_FOLLOWED


@pytest.mark.parametrize(
    ("hand", "body", "attribute"),
    [one for one in product({**HANDED, **UNSEEN}, {**SETS, **MORE_SETS}, MAINS) if _is_asked(*one)],
)
def test_what_is_set(hand: str, body: str, attribute: str, tmp_path: Path) -> None:
    body = {**SETS, **MORE_SETS}[body].replace("'n'.upper()", "'N'.swapcase().swapcase()").replace("+= 1", "= 2")
    texts = _of(_texts(MAINS[attribute], {**HANDED, **UNSEEN}[hand], body), attribute)
    assert _seen(texts, attribute)
    assert not _is_fixed(tmp_path, texts)


@pytest.mark.parametrize(("hand", "body", "attribute"), product(HANDED, READS, MAINS))
def test_what_is_read(hand: str, body: str, attribute: str, tmp_path: Path) -> None:
    # What could be set where it is not in sight is set nowhere.
    other = f"def on(m):\n    {READS[body]}\n\n\ndef look(k):\n    return k\n"
    texts = {**_texts(MAINS[attribute], HANDED[hand], ""), "other": other}
    texts = _of(texts, attribute)
    assert not _seen(texts, attribute)
    assert _is_fixed(tmp_path, texts)


@pytest.mark.parametrize(("hand", "body"), product(RELATED, SETS_OF_A_CLASS))
def test_what_is_set_in_a_relation(hand: str, body: str, tmp_path: Path) -> None:
    texts = _texts(BASE, f"{DERIVED}{RELATED[hand]}", SETS_OF_A_CLASS[body])
    said, seen = judged(tmp_path, texts, "C.N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


NOT_IN_SIGHT = {
    "class of an object", "computed", "decorator", "its class", "keywords", "lambda", "setattr", "spelled", "type's",
    "rows", "rows, the last", "rows, unpacked", "rows, held", "items", "items, held", "items, changed", "values",
}  # fmt: skip
"""Of these nothing says that it is nothing of what is asked for, whatever it is handed."""


@pytest.mark.parametrize(("hand", "body"), product(APART, sorted({*SETS_OF_A_CLASS} - NOT_IN_SIGHT)))
def test_what_is_set_in_what_another_class_derives_from(hand: str, body: str, tmp_path: Path) -> None:
    classes = "class Plain:\n    N = M = 1\n\n\nclass Sub(Plain):\n    pass\n"
    hand = f"import main\nimport other\n\n\n{classes}\n\n{APART[hand]}"
    said, seen = judged(tmp_path, _texts(CLASS, hand, SETS_OF_A_CLASS[body]), "C.N")
    assert set(seen) == {("value", 1)}
    assert said == "certain"


@pytest.mark.parametrize(("hand", "body"), product(HEIRS, SETS_OF_A_CLASS))
def test_what_is_set_in_what_may_derive_from_it(hand: str, body: str, tmp_path: Path) -> None:
    texts = _texts(CLASS, f"import main\nimport other\n\n\n{PLAIN}{HEIRS[hand]}", SETS_OF_A_CLASS[body])
    said, seen = judged(tmp_path, texts, "C.N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


DIRECTLY = {
    "value": ["C.value = 2", "C.__init__(2)", "C.__dict__['value'] = 2", "[0 for C.value in [2]]"],
    "fn": ["C.fn = 2", "C.__dict__.update(vars(kernel))"],
    "_src": ["C._src = 2", "C._unsafe_update_src('def C(p): pass')", "vars(C)['_src'] = 2"],
}
WAYS = {
    "its own file": ("{0}\n", ""),
    "its own file, in a function": ("\n\ndef start():\n    {0}\n\n\nstart()\n", ""),
    "a file that has it": ("", "from main import C, kernel\n\n{0}\n"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("attribute", "said"), [(name, said) for name, all_ in DIRECTLY.items() for said in all_])
def test_what_is_set_where_it_is(attribute: str, said: str, way: str, tmp_path: Path) -> None:
    own, other = (text.format(said) for text in WAYS[way])
    texts = {"main": MAINS[attribute] + own, "plugin": other}
    before, after = (answered(each, f"C.{attribute}")[-1] for each in ({"main": MAINS[attribute]}, texts))
    assert before != after
    assert not _is_fixed(tmp_path, texts)


SCOPES = {
    "captured": "import main\n\nmain.kernel.get_capture_scope()['C'] = main.tl.constexpr(2)\n",
    "captured by a name": "from main import kernel as k\n\nscope = k.get_capture_scope()\nscope.update(C=1)\n",
    "captured by another": "import main\nimport other\n\nother.on(main.kernel)\n",
    "globals": "import main\n\nmain.kernel.__globals__['C'] = main.tl.constexpr(2)\n",
}


@pytest.mark.parametrize("way", SCOPES)
def test_what_is_set_in_what_a_kernel_names(way: str, tmp_path: Path) -> None:
    other = "def on(k):\n    k.get_capture_scope()['C'] = 2\n"
    texts = {"other": other, "main": MAINS["value"], "plugin": SCOPES[way]}
    seen = answered(texts, "C")
    assert seen[0] != seen[-1]
    assert not _is_fixed(tmp_path, texts)


AGGREGATE = f"""{HEAD}from triton.language.core import _aggregate as aggregate


@triton.jit
def put(self):
    tl.store(self.p, 1)


@aggregate
class C:
    p: tl.tensor

    @triton.jit
    def go(self):
        pass


@triton.jit
def kernel(p):
    C(p).go()
"""
METHODS = {
    "its function": "k.go.fn = g.fn",
    "its text": "k.go._unsafe_update_src('def go(self): return 1')",
    "all of it": "k.go.__dict__.update(vars(g))",
    "taken": "getattr(k, n).__dict__.update(vars(g))",
    "taken by text": "getattr(k, 'go')._src = g._src",
    "of its names": "for name, value in vars(k).items():\n        if name == n:\n            value._src = g._src",
    "kept": "Kept(k, **{n: g}).set()",
    "kept, spelled": "Kept(k, go=g).set()",
    "a base": "k.__bases__ = (type('Other', (), {n: g}), *k.__bases__)\n    del k.go",
    "by its class": "type(k)",
}
KEPT = (
    "class Kept:\n    def __init__(self, k, **more):\n        self.k, self.more = k, more\n\n    def set(self):\n"
    "        for name, value in self.more.items():\n            setattr(self.k, name, value)\n\n\n"
)


@pytest.mark.parametrize("body", METHODS)
def test_what_is_done_to_a_method(body: str, tmp_path: Path) -> None:
    other = f"{KEPT}def on(k, n, g):\n    {METHODS[body]}\n"
    texts = {
        "main": AGGREGATE,
        "other": other,
        "plugin": "import main\nimport other\n\nother.on(main.C, 'go', main.put)\n",
    }
    if "__bases__" not in METHODS[body]:  # of some classes Python refuses it
        seen = answered(texts, "(C.go.fn.__name__, C.go.src)")
        assert (seen[0] != seen[-1]) == (body != "by its class")
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    try:
        (found,) = cut(project, find(project, tmp_path / "main.py", "kernel")).aggregates
    except NotCut:
        assert "vars(k)" in METHODS[body]  # it may be any jit function
    else:
        assert ("go" in found.varies) == (body != "by its class")


HELD = {
    "an item": "D = {'a': tl.constexpr(1)}\nC = D['a']\n",
    "of a tuple": "D = (tl.constexpr(1),)\nC = D[0]\n",
    "of a class": "class D:\n    a = tl.constexpr(1)\n\n\nC = D.a\n",
    "a further name": "D = tl.constexpr(1)\nC = D\n",
}
GETS = {
    "each": "import main\nimport other\n\n{0}",
    "by name": "from main import D\nimport other\n\n{1}",
}
TAKES = {
    "an item": ("for c in main.D.values():\n    other.on(c)\n", "other.on(D['a'])\n"),
    "of a tuple": ("for c in main.D:\n    other.on(c)\n", "other.on(*D)\n"),
    "of a class": ("other.on(vars(main.D)['a'])\n", "other.on(D.a)\n"),
    "a further name": ("other.on(main.D)\n", "other.on(D)\n"),
}


@pytest.mark.parametrize("way", GETS)
@pytest.mark.parametrize("held", HELD)
def test_what_is_held(held: str, way: str, tmp_path: Path) -> None:
    main = MAINS["value"].replace("C = tl.constexpr(1)\n", HELD[held])
    texts = {"main": main, "other": "def on(c):\n    c.value = 2\n", "plugin": GETS[way].format(*TAKES[held])}
    assert _seen(texts, "value")
    assert not _is_fixed(tmp_path, texts)
    (tmp_path / "plugin.py").write_text("import main\n", encoding="utf-8")
    assert _is_fixed(tmp_path, {"main": main, "other": "def on(c):\n    return c\n"})
