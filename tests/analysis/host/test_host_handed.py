"""A module that is handed to other code: every way to hand it on with every thing that may be done with it there, each
run by real Python. What it finds changed must not be told as certain; where nothing is done, it must be.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_told import judged, told

from kernel_analysis.kernels.project import Project
from products import product

SETS = {
    "attribute": "m.N = 2",
    "augmented": "m.N += 1",
    "unpacked": "m.N, x = 2, 3",
    "loop": "for m.N in (2,):\n        pass",
    "setattr": "setattr(m, 'N', 2)",
    "computed": "for name in ('N',):\n        setattr(m, name, 2)",
    "rows": "for k, name in ((m, 'M'), (m, 'N')):\n        setattr(k, name, 2)",
    "rows, the last": "for k, *x, name in ((m, 'M', 'M', 'N'),):\n        setattr(k, name, 2)",
    "rows, unpacked": "for k, name in (*[(m, 'N')],):\n        setattr(k, name, 2)",
    "rows, held": "rows = [(m, 'M')]\n    rows.append((m, 'N'))\n    for k, name in rows:\n        setattr(k, name, 2)",
    "items": "for k, name in {m: 'N'}.items():\n        setattr(k, name, 2)",
    "items, held": "d = {m: 'N'}\n    for k, name in d.items():\n        setattr(k, name, 2)",
    "items, changed": "d = {m: 'M'}\n    for k in d:\n        d[k] = 'N'\n    for k, name in d.items():\n"
    "        setattr(k, name, 2)",
    "values": "for name, k in {'N': m}.items():\n        setattr(k, name, 2)",
    "a value, too": "d = {m: m}\n    for k in d:\n        pass\n    for k in d.values():\n        k.N = 2",
    "held, and more": "d = [m]\n    for k in d:\n        pass\n    d[0].N = 2",
    "held by two": "d = e = [m]\n    for k in d:\n        pass\n    e[0].N = 2",
    "spelled": "setattr(m, 'n'.upper(), 2)",
    "dunder": "m.__setattr__('N', 2)",
    "dict": "m.__dict__['N'] = 2",
    "update": "m.__dict__.update(N=2)",
    "vars": "vars(m)['N'] = 2",
    "held": "boxes = [m]\n    boxes[0].N = 2",
    "renamed": "k = m\n    k.N = 2",
    "either": "k = m if m else None\n    k.N = 2",
    "inner": "def inner():\n        m.N = 2\n    inner()",
    "lambda": "(lambda: setattr(m, 'N', 2))()",
    "returned": "return_(m).N = 2",
    "passed": "further(m)",
    "keyword": "further(k=m)",
    "starred": "further(*[m])",
    "class": "Box(m).set()",
    "with": "with patched(m):\n        pass",
    "walrus": "k = (j := m)\n    k.N = 2",
    "by either": "set_in = further if m else repr\n    set_in(m)",
}
OF_A_MODULE = {
    "a letter": "for c in 'MN':\n        setattr(m, c, 2)",
    "a part": "for c in ('Nothing',):\n        setattr(m, f'{c:.1}', 2)",
    "dict held": "d = m.__dict__\n    d['N'] = 2",
    "dict joined": "d = m.__dict__\n    d |= {'N': 2}",
    "dict by its class": "dict.update(m.__dict__, N=2)",
    "dict by a method": "m.__dict__.__setitem__('N', 2)",
    "dict passed": "def put(d):\n        d['N'] = 2\n    put(m.__dict__)",
    "dict or another": "(m.__dict__ if m else {})['N'] = 2",
    "dict in a list": "[m.__dict__][0]['N'] = 2",
    "dict named within": "(d := m.__dict__)['N'] = 2",
    "dict and a function": "m.__dict__['function'].__globals__['N'] = 2",
    "dict and all in it": "for k, f in m.__dict__.items():\n        if callable(f):\n"
    "            f.__globals__['N'] = 2",
    "dict of a text": "exec('N = 2', m.__dict__)",
    "members, functions": "import inspect\n    for n, f in inspect.getmembers(m, inspect.isfunction):\n"
    "        f.__globals__['N'] = 2",
}
READS = {
    "attribute": "return m.N",
    "getattr": "return getattr(m, 'N', 0)",
    "hasattr": "return hasattr(m, 'N')",
    "printed": "print(m)",
    "name": "return m.__name__",
    "called": "return m.function()",
    "other": "m.M = 2",
    "other by text": "setattr(m, 'M', 2)",
    "other by texts": "for name in ('M', 'L'):\n        setattr(m, name, 2)",
    "other by rows": "for k, name in ((m, 'M'), (m, 'L')):\n        setattr(k, name, 2)",
    "other by texts, passed": "for name in ('M', 'L'):\n        setattr(m, name, Box(name))",
    "other by items": "d = {m: 'M'}\n    for k, name in d.items():\n        setattr(k, name, 2)\n"
    "    return set(d.values())",
    "passed": "look(m)",
    "inspected": "import inspect\n    return inspect.getdoc(m)",
    "looked at by either": "look_at = dir if m else repr\n    look_at(m)",
    "loaded again": "import sys\n    if sys.version_info < (3, 12): import imp\n    else: import importlib as imp\n"
    "    if m is None: imp.reload(m)",
}
OTHER = """import contextlib


def return_(k):
    return k


def further(k):
    k.N = 2


def look(k):
    return k.N


class Box:
    def __init__(self, k):
        self.k = k

    def set(self):
        self.k.N = 2


@contextlib.contextmanager
def patched(k):
    k.N = 2
    yield


def on(m):
    {body}


class Holder:
    def method(self, m):
        {deep}

    def __call__(self, m):
        {deep}


def default(m=None, *rest, **more):
    {body}
"""
HANDED = {
    "plain": "import main\nimport other\n\nother.on(main)\n",
    "from": "import main\nfrom other import on\n\non(main)\n",
    "named": "import main as c\nfrom other import on as switch\n\nswitch(c)\n",
    "keyword": "import main\nimport other\n\nother.on(m=main)\n",
    "in a function": "import main\nimport other\n\n\ndef start():\n    other.on(main)\n\n\nstart()\n",
    "imported in it": "import other\n\n\ndef start():\n    import main\n\n    other.on(main)\n\n\nstart()\n",
    "a further name": "import main\nimport other\n\nconsts = main\nother.on(consts)\n",
    "by text": "import importlib\n\nimport other\n\nother.on(importlib.import_module('main'))\n",
    "by text first": "import importlib\n\nimport other\n\nm = importlib.import_module('main')\nother.on(m)\n",
    "sys.modules": "import sys\n\nimport main\nimport other\n\nother.on(sys.modules['main'])\n",
    "default": "import main\nimport other\n\nother.default(main)\n",
    "condition": "import main\nimport other\n\nother.on(main if main else None)\n",
    "if there": "import other\n\ntry:\n    import main\nexcept ImportError:\n    main = None\n\nother.on(main)\n",
    "if there, named": "import other\n\ntry:\n    import main as c\nexcept ImportError:\n    c = None\n\nother.on(c)\n",
    "deleted": "import other\n\nimport main as c\n\nother.on(c)\ndel c\n",
}
UNSEEN = {
    "list": "import main\nimport other\n\nfor each in [main]:\n    other.on(each)\n",
    "map": "import main\nimport other\n\nlist(map(other.on, [main]))\n",
    "method": "import main\nimport other\n\nother.Holder().method(main)\n",
    "object": "import main\nimport other\n\nother.Holder()(main)\n",
    "partial": "import functools\n\nimport main\nimport other\n\nfunctools.partial(other.on, main)()\n",
    "dict": "import main\nimport other\n\nother.on(**{'m': main})\n",
    "star": "import main\nimport other\n\nother.on(*(main,))\n",
    "thread": "import threading\n\nimport main\nimport other\n\nt = threading.Thread(target=other.on, args=(main,))\n"
    "t.start()\nt.join()\n",
    "chosen": "import main\nimport other\n\n{'on': other.on}['on'](main)\n",
    "object's": "import main\nimport other\n\n\nclass A:\n    module = main\n\n\nother.on(A.module)\n",
    "returned": "import main\nimport other\n\n\ndef which():\n    return main\n\n\nother.on(which())\n",
    "own": "import other\nimport main\n\n\ndef start(module=main):\n    other.on(module)\n\n\nstart()\n",
}
MAIN = "N = 1\nM = 1\n\n\ndef function():\n    return N\n"


def _texts(hand: str, body: str) -> dict[str, str]:
    deep = body.replace("\n", "\n    ")
    return {"main": MAIN, "other": OTHER.format(body=body, deep=deep), "plugin": hand}


@pytest.mark.parametrize(("hand", "body"), product({**HANDED, **UNSEEN}, {**SETS, **OF_A_MODULE}))
def test_what_is_set(hand: str, body: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, _texts({**HANDED, **UNSEEN}[hand], {**SETS, **OF_A_MODULE}[body]), "N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(("hand", "body"), product(HANDED, READS))
def test_what_is_read(hand: str, body: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, _texts(HANDED[hand], READS[body]), "N")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"


@pytest.mark.parametrize(
    "look",
    [
        "x = main.__dict__['M']",
        "x = main.__dict__.get('M'), 'N' in main.__dict__",
        "x = {**main.__dict__}, dict(main.__dict__), list(main.__dict__.keys())",
        "x = [v for v in main.__dict__.values() if callable(v)]",
        "for n, v in vars(main).items():\n    print(n, v)",
        "inspect.getmembers(main)",
        "x = dict(inspect.getmembers(main, inspect.isfunction))",
        "for n, f in inspect.getmembers(main, predicate=inspect.isfunction):\n    f()",
    ],
)
def test_who_looks_into_it(look: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"main": MAIN, "plugin": f"import inspect\n\nimport main\n\n{look}\n"}, "N")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"


_ON = {
    "in a chain": "f{next}(m, n - 1)",
    "to all": "f0(m, n - 1), f1(m, n - 2), f6(m, n - 3), f{next}(m, n - 1)",
    "by names": "a = m\n        b = a\n        a = b\n        f{next}(b, n - 1)",
    "by a keyword": "f{next}(n=n - 1, m=m)",
}


@pytest.mark.parametrize("on", _ON)
@pytest.mark.parametrize("name", ["N", "M"])
def test_round(name: str, on: str, tmp_path: Path) -> None:
    """Far through functions, and round: what the last of them does is all."""
    passed = "".join(f"def f{i}(m, n):\n    if n > 0:\n        {_ON[on].format(next=(i + 1) % 7)}\n" for i in range(7))
    last = passed.replace("def f6(m, n):\n", f"def f6(m, n):\n    m.{name} = 2\n")
    # (Somebody sets an attribute of the name, so that it is looked for.)
    plugin = "import main\nimport other\n\nother.f0(main, 8)\n\n\nclass A:\n    pass\n\n\nA.N = 3\n"
    said, seen = judged(tmp_path, {"main": MAIN, "other": last, "plugin": plugin}, "N")
    assert any(value == ("value", 2) for value in seen) == (name == "N"), seen
    assert (said == "certain") == (name == "M")


@pytest.mark.parametrize("body", [*SETS, *OF_A_MODULE])
def test_by_itself(body: str, tmp_path: Path) -> None:
    """The file hands itself on."""
    texts = _texts("", {**SETS, **OF_A_MODULE}[body])
    main = MAIN + "\n\nimport sys\n\nimport other\n\nother.on(sys.modules[__name__])\n"
    said, seen = judged(tmp_path, {"other": texts["other"], "main": main}, "N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(
    "plugin",
    [
        "import main\n\nmain.__setattr__('N', 2)\n",
        "import holder\n\ngetattr(holder, 'main').N = 2\n",
    ],
)
def test_set_from_outside(plugin: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"main": MAIN, "holder": "import main\n", "plugin": plugin}, "N")
    assert any(value == ("value", 2) for value in seen), seen
    assert said != "certain"


def test_a_path_in_a_file_that_imports_nothing(tmp_path: Path) -> None:
    """What a test gets from pytest sets what a text names."""
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    (tmp_path / "test_it.py").write_text("def test_it(monkeypatch):\n    monkeypatch.setattr('main.N', 2)\n")
    ((_, why),) = told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", ["N"])
    assert "test_it.py" in why


@pytest.mark.parametrize(
    ("said", "known"),
    [("main", "guess"), ("theirs.main", "certain"), ("main.other", "certain"), ("domain", "certain")],
)
def test_whose_path_stands_there(said: str, known: str, tmp_path: Path) -> None:
    """A stand-in for a module of another package changes none of ours, whose last name may be the same."""
    plugin = f"import sys\nimport types\n\nsys.modules[{said!r}] = types.ModuleType({said!r})\n"
    assert judged(tmp_path, {"main": MAIN, "plugin": plugin}, "N")[0] == known
    looked_up = "print(sys.modules.get(str(len(sys.path))))\n"
    (tmp_path / "user.py").write_text(f"import ours.main\n\n{plugin}{looked_up}", encoding="utf-8")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "main.py").write_text(MAIN, encoding="utf-8")
    told_of = told(Project([str(tmp_path)], [], patient=True), tmp_path / "ours" / "main.py", ["N"])
    assert bool(told_of[0][1]) == (said == "main")


@pytest.mark.parametrize(
    ("stub", "known"),
    [
        ("monkeypatch.setitem(sys.modules, 'theirs', None)", "certain"),
        ("monkeypatch.setitem(sys.modules, 'theirs.more', which)", "certain"),
        ("monkeypatch.delitem(sys.modules, 'theirs', raising=False)", "certain"),
        ("monkeypatch.delitem(sys.modules, which)", "certain"),
        ("for each in ('one', 'two'):\n        monkeypatch.setitem(sys.modules, each, None)", "certain"),
        ("with monkeypatch.context() as m:\n        m.setitem(sys.modules, 'theirs', None)", "certain"),
        ("with pytest.MonkeyPatch.context() as m:\n        m.setitem(sys.modules, 'theirs', None)", "certain"),
        ("monkeypatch.setitem(sys.modules, 'main', which)", "guess"),
        ("monkeypatch.setitem(sys.modules, which, None)", "guess"),
        ("monkeypatch.setitem(sys.modules, *which)", "guess"),
        ("monkeypatch.setitem(sys.modules, f'{which}n', None)", "guess"),
        ("for each in ('theirs', 'main'):\n        monkeypatch.setitem(sys.modules, each, None)", "guess"),
        ("monkeypatch.setitem(sys.modules['main'].__dict__, 'N', 2)", "guess"),
        ("which.setitem(sys.modules, 'theirs', None)", "guess"),
        ("m = which.context()\n    m.setitem(sys.modules, 'theirs', None)", "guess"),
        ("with which.other() as m:\n        m.setitem(sys.modules, 'theirs', None)", "guess"),
    ],
)
def test_who_takes_its_place_in_a_test(stub: str, known: str, tmp_path: Path) -> None:
    """What pytest's fixture sets in a dict has the name that stands there, and no other."""
    (tmp_path / "main.py").write_text(MAIN, encoding="utf-8")
    test = f"import sys\n\nimport pytest\n\nimport main\n\n\ndef test_it(monkeypatch, which):\n    {stub}\n"
    (tmp_path / "test_it.py").write_text(test, encoding="utf-8")
    ((_, why),) = told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", ["N"])
    assert ("guess" if why else "certain") == known, why
