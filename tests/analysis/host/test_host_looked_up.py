"""A module that another file has by a text, or that it takes out of something: every way to have one with every way to
set a name of it, each run by real Python. What it finds changed must not be told as certain.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from host_told import judged, told

from kernel_analysis.kernels.project import Project
from products import product

LOOKED_UP = {
    "half a text": "import importlib\n\nc = importlib.import_module('ma' + 'in')\n",
    "two texts": "import importlib\n\nc = importlib.import_module('ma' 'in')\n",
    "raw": "import importlib\n\nc = importlib.import_module(r'main')\n",
    "long": "import importlib\n\nc = importlib.import_module('''main''')\n",
    "formatted": "import importlib\n\npart = 'in'\nc = importlib.import_module(f'ma{part}')\n",
    "a name": "import importlib\n\nwhich = 'ma' + 'in'\nc = importlib.import_module(which)\n",
    "upper": "import importlib\n\nc = importlib.import_module('MAIN'.lower())\n",
    "in brackets": "import importlib\n\nc = importlib.import_module(('main'))\n",
    "keyword": "import importlib\n\nc = importlib.import_module(name='main')\n",
    "starred": "import importlib\n\nc = importlib.import_module(*['main'])\n",
    "renamed": "from importlib import import_module as load\n\nc = load('main')\n",
    "held": "import importlib\n\nload = importlib.import_module\nc = load('main')\n",
    "from": "from importlib import import_module\n\nc = import_module('ma' + 'in')\n",
    "dunder": "c = __import__('ma' + 'in')\n",
    "dunder held": "load = __import__\nc = load('main')\n",
    "resolved": "import pkgutil\n\nc = pkgutil.resolve_name('ma' + 'in')\n",
    "modules": "import sys\n\nc = sys.modules['ma' + 'in']\n",
    "modules get": "import sys\n\nc = sys.modules.get('main')\n",
    "modules named": "import sys\n\nname = 'main'\nc = sys.modules[name]\n",
    "modules from": "from sys import modules\n\nc = modules['main']\n",
    "modules from as": "from sys import modules as loaded\n\nc = loaded['main']\n",
    "modules got": "from sys import modules as loaded\n\nc = loaded.get('main')\n",
    "sys renamed": "import sys as s\n\nc = s.modules['ma' + 'in']\n",
    "by getattr": "import sys\n\nc = getattr(sys, 'modules')['main']\n",
    "out of another": "import other\n\nc = other.main\n",
    "out of another by a text": "import other\n\nc = getattr(other, 'ma' + 'in')\n",
    "out of all of another": "import other\n\nfor c in list(vars(other).values()):\n    if hasattr(c, 'function'):\n"
    "        break\n",
    "out of all modules": "import sys\n\nfor c in list(sys.modules.values()):\n    if c.__name__ == 'main':\n"
    "        break\n",
    "out of a star": "from other import *\n\nc = main\n",
    "modules held": "import sys\n\nloaded = sys.modules\nc = loaded['main']\n",
    "out of a library": "import os\n\nc = os.sys.modules['main']\n",
    "out of a library, by another name": "from os import sys as s\n\nc = s.modules['main']\n",
    "out of a library's own name": "import collections\n\nc = collections._sys.modules['main']\n",
    "sys by a text": "c = __import__('sys').modules['main']\n",
    "sys looked up": "import importlib\n\nc = importlib.import_module('sys').modules['main']\n",
    "sys out of a list": "import sys\n\nc = [sys][0].modules['main']\n",
    "sys out of a tuple": "import sys\n\n(s, *_) = (sys,)\nc = s.modules['main']\n",
    "sys out of a class": "import sys\n\n\nclass K:\n    s = sys\n\n\nc = K.s.modules['main']\n",
    "sys passed": "import sys\n\nc = (lambda s: s.modules)(sys)['main']\n",
    "out of its dict": "import sys\n\nc = vars(sys)['modules']['main']\n",
    "out of a copy": "import sys\n\nc = dict(sys.modules)['main']\n",
    "taken by a function": "import sys\n\n(c,) = map(sys.modules.get, ['main'])\n",
    "taken by a text": "import operator\nimport sys\n\nc = operator.attrgetter('modules')(sys)['main']\n",
}
"""Each gives the module as ``c``."""
SETS = {
    "attribute": "c.N = 2",
    "augmented": "c.N += 1",
    "annotated": "c.N: int = 2",
    "unpacked": "c.N, x = 2, 3",
    "starred": "*c.N, x = 2, 3",
    "loop": "for c.N in (2,):\n    pass",
    "with": "import contextlib\n\nwith contextlib.nullcontext(2) as c.N:\n    pass",
    "in a function": "def start():\n    c.N = 2\n\n\nstart()",
    "renamed": "k = c\nk.N = 2",
    "setattr": "setattr(c, 'N', 2)",
    "dunder": "c.__setattr__('N', 2)",
    "computed": "for name in ('N',):\n    setattr(c, name, 2)",
    "dict": "c.__dict__['N'] = 2",
    "dict update": "c.__dict__.update(N=2)",
    "dict of a dict": "c.__dict__.update({'N': 2})",
    "vars": "vars(c)['N'] = 2",
    "vars update": "vars(c).update(N=2)",
    "run": "exec('N = 2', c.__dict__)",
    "run in it": "exec('c.N = 2')",
    "map": "list(map(setattr, [c], ['N'], [2]))",
    "lambda": "(lambda m: setattr(m, 'N', 2))(c)",
    "passed": "def put(m):\n    m.N = 2\n\n\nput(c)",
    "held in a list": "boxes = [c]\nboxes[0].N = 2",
    "of object": "object.__setattr__(c, 'N', 2)",
    "upper": "setattr(c, 'n'.upper(), 2)",
    "character": "setattr(c, chr(78), 2)",
    "character by its method": "c.__setattr__(chr(78), 2)",
    "backwards": "c.__dict__['xN'[:0:-1]] = 2",
    "upper in its dict": "vars(c).update({'n'.upper(): 2})",
    "upper in keywords": "vars(c).update(**{'n'.upper(): 2})",
    "upper in a text": "exec('c.{} = 2'.format('n'.upper()))",
    "upper in a text beside it": "exec('n = 2'.upper(), c.__dict__)",
    "upper in a function": "def put(m, name):\n    setattr(m, name, 2)\n\n\nput(c, 'n'.upper())",
    "through its function": "c.function.__globals__[chr(78)] = 2",
    "through its function's names": "exec('N = 2', c.function.__globals__)",
    "by a function with its names": "import types\n\n\ndef put():\n    global N\n    N = 2\n\n\n"
    "types.FunctionType(put.__code__, c.__dict__)()",
    "dict held": "def f():\n    d = c.__dict__\n    d['N'] = 2\n\n\nf()",
    "dict held twice": "def f():\n    d = c.__dict__\n    e = d\n    e['N'] = 2\n\n\nf()",
    "dict held and one more": "def f():\n    d = e = c.__dict__\n    e['N'] = 2\n\n\nf()",
    "dict held in a pair": "def f():\n    d, e = c.__dict__, 1\n    d['N'] = 2\n\n\nf()",
    "dict held in a list": "def f():\n    d = [c.__dict__]\n    d[0]['N'] = 2\n\n\nf()",
    "dict held and passed": "def f():\n    d = c.__dict__\n    put(d)\n\n\ndef put(x):\n    x['N'] = 2\n\n\nf()",
    "dict held and bound": "def f():\n    d = c.__dict__\n    (lambda m=d: m.update(N=2))()\n\n\nf()",
    "dict held and given": "def f():\n    d = c.__dict__\n    return d\n\n\nf()['N'] = 2",
    "dict held and yielded": "def f():\n    d = c.__dict__\n    yield d\n\n\nnext(f())['N'] = 2",
    "dict held inside": "def f():\n    d = c.__dict__\n\n    def put():\n        d['N'] = 2\n\n    put()\n\n\nf()",
    "dict held outside": "d = None\n\n\ndef f():\n    global d\n    d = c.__dict__\n\n\nf()\nd['N'] = 2",
    "dict held by a method": "def f():\n    d = c.__dict__\n    put = d.update\n    put(N=2)\n\n\nf()",
    "dict held and joined": "def f():\n    d = c.__dict__\n    d |= {'N': 2}\n\n\nf()",
    "dict held and looped": "def f():\n    d = c.__dict__\n    for d['N'] in (2,):\n        pass\n\n\nf()",
    "dict held by locals": "def f():\n    d = c.__dict__\n    locals()['d']['N'] = 2\n\n\nf()",
    "dict held by vars": "def f():\n    d = c.__dict__\n    vars()['d']['N'] = 2\n\n\nf()",
    "dict held by a text": "def f():\n    d = c.__dict__\n    exec('d[\"N\"] = 2')\n\n\nf()",
    "dict held by a class": "def f():\n    d = c.__dict__\n\n    class A:\n        e = d\n\n    A.e['N'] = 2\n\n\nf()",
    "dict held by an operator": "import operator\n\n\n"
    "def f():\n    d = c.__dict__\n    operator.setitem(d, 'N', 2)\n\n\nf()",
    "zipped": "vars(c).update(zip(['N'], [2]))",
    "dict made elsewhere": "def make():\n    return dict(N=2)\n\n\nvars(c).update(make())",
    "by an operator": "import operator\n\noperator.setitem(vars(c), chr(78), 2)",
}
EXPRESSIONS = (
    'globals()["main"]',
    'globals().get("main")',
    'dict(globals())["main"]',
    '[m for m in globals().values() if hasattr(m, "function")][0]',
    '(lambda: 0).__globals__["main"]',
    "(lambda: main)()",
    "[main][0]",
    'dict(a=main)["a"]',
    '(main if len("a") else None)',
)
"""Each gives the module itself."""
MAIN = "N = 1\n\n\ndef function():\n    return N\n"


@pytest.mark.parametrize(("having", "setting"), product(LOOKED_UP, SETS))
def test_what_is_set(having: str, setting: str, tmp_path: Path) -> None:
    texts = {"main": MAIN, "other": "import main\n", "plugin": f"{LOOKED_UP[having]}{SETS[setting]}\n"}
    said, seen = judged(tmp_path, texts, "N")
    assert any(value != ("value", 1) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(("having", "setting"), product(LOOKED_UP, SETS))
def test_what_a_file_sets_in_itself(having: str, setting: str, tmp_path: Path) -> None:
    texts = {"other": "import main\n", "main": f"{MAIN}\n\n{LOOKED_UP[having]}{SETS[setting]}\n"}
    said, seen = judged(tmp_path, texts, "N")
    assert any(value != ("value", 1) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(("having", "setting"), product(EXPRESSIONS, SETS))
def test_what_is_set_in_what_an_expression_gives(having: str, setting: str, tmp_path: Path) -> None:
    """Without a name for the module."""
    sets = re.sub(r"\bc\b", lambda _: having, SETS[setting])
    texts = {"main": MAIN, "other": "import main\n", "plugin": f"import main\n{sets}\n"}
    said, seen = judged(tmp_path, texts, "N")
    assert any(value != ("value", 1) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(
    "plugin",
    [
        "import sys\n\nc = sys.modules['other']\nc.N = 2\n",
        "from importlib import import_module\n\nc = import_module('other')\nc.N = 2\n",
        "import importlib\n\nc = importlib.import_module('other', __name__)\nc.N = 2\n",
        "c = __import__('other')\nc.N = 2\n",
    ],
)
def test_another_module(plugin: str, tmp_path: Path) -> None:
    """All of its name is in sight."""
    texts = {"main": MAIN, "other": "N = 5\n", "plugin": plugin}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    assert told(Project([str(tmp_path)], [], patient=True), tmp_path / "main.py", ["N"]) == [(1, "")]


READS = {
    "an item": "return d['__doc__']",
    "whether it has one": "return 'N' in d",
    "asked": "return d.get('N') is True",
    "a turn": "for k in ('N',):\n            if k in d:\n                return d[k]",
    "through another name": "e = d\n        return e.get('N')",
}


@pytest.mark.parametrize("reading", READS)
def test_what_is_only_read_is_certain(reading: str, tmp_path: Path) -> None:
    """In the dict of something that nobody knows, in a file that may have any module."""
    lines = ["import importlib", "", "", "def load(name):", "    importlib.import_module(name)", "", ""]
    lines += ["def ask(kinds):", "    for kind in kinds:", "        d = kind.__dict__", f"        {READS[reading]}", ""]
    texts = {"main": MAIN, "other": "", "plugin": "\n".join([*lines, "", "ask([int])", ""])}
    said, seen = judged(tmp_path, texts, "N")
    assert seen
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"
