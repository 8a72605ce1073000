"""Code that stands in a string, or is put together: every way to have it run with every way to set something, each run
by real Python. What it sets must not be told as certain.
"""

from __future__ import annotations

import ast
import itertools
import sysconfig
from pathlib import Path

import pytest
from host_told import judged

from kernel_analysis.source.text_search.mentions import RUNNERS

MAIN = "W = 1\nD = {'a': 1}\n\n\nclass C:\n    X = 1\n"
RUNS = {
    "timeit": "import timeit\n\ntimeit.timeit(TEXT, number=1)\n",
    "setup": "import timeit\n\ntimeit.timeit('pass', setup=TEXT, number=1)\n",
    "Timer": "from timeit import Timer as T\n\nT(stmt=TEXT).timeit(1)\n",
    "a timer with a name": "import timeit as t\n\nx = t.Timer('pass', TEXT)\nx.timeit(1)\n",
    "interpreter": "import code\n\ncode.InteractiveInterpreter().runsource(TEXT, symbol='exec')\n",
    "console": "from code import InteractiveConsole\n\nc = InteractiveConsole()\nc.runsource(TEXT, symbol='exec')\n",
    "profile": "import cProfile\n\ncProfile.runctx(TEXT, {}, {})\n",
    "profiler": "import cProfile\n\np = cProfile.Profile()\np.runctx(TEXT, {}, {})\n",
    "pickle": "import pickle\n\n"
    "pickle.loads(('cbuiltins\\nexec\\n(V' + TEXT.replace('\\n', '\\\\u000a') + '\\ntR.').encode())\n",
    "pickle of a name": "import io, pickle as p\n\nt = TEXT.replace('\\n', '\\\\u000a')\n"
    "data = bytes('cbuiltins\\nexec\\n(V' + t + '\\ntR.', 'ascii')\np.load(io.BytesIO(data))\n",
    "unpickler": "import io\nfrom pickle import Unpickler as U\n\nt = TEXT.replace('\\n', '\\\\u000a').encode()\n"
    "U(io.BytesIO(b'cbuiltins\\nexec\\n(V' + t + b'\\ntR.')).load()\n",
    "a function of code": "import types\n\ntypes.FunctionType(compile(TEXT, 'x', 'exec'), {})()\n",
    "code of a function": "def f():\n    pass\n\n\nf.__code__ = compile(TEXT, 'x', 'exec')\nf()\n",
    "exec": "exec(TEXT)\n",
    "by its own": "def run(text):\n    exec(text, {})\n\n\nrun(TEXT)\n",
}
SETS = {
    "store": ("W", "import main; main.W = 2"),
    "another name": ("W", "import main as m\nm.W = 2"),
    "setattr": ("W", "import main; setattr(main, 'W', 2)"),
    "dict": ("W", "import main; vars(main)['W'] = 2"),
    "del": ("W", "import main\ndel main.W"),
    "in a loop": ("W", "import main\nfor main.W in (2, 3): pass"),
    "item": ("D['a']", "from main import D; D['a'] = 2"),
    "update": ("D['a']", "import main; main.D.update(a=2)"),
    "attribute": ("C.X", "from main import C; C.X = 2"),
}
ONES = {"literal": repr, "computed": lambda text: f"''.join(map(chr, {[*map(ord, text)]}))"}


WAYS = [way for way in itertools.product(RUNS, SETS, ONES) if way[1] != "attribute" or way[2] == "literal"]
"""(A class is held to be set by who has its name.)"""


@pytest.mark.parametrize(("run", "setting", "one"), WAYS)
def test_what_a_text_sets(run: str, setting: str, one: str, tmp_path: Path) -> None:
    asked, text = SETS[setting]
    other = RUNS[run].replace("TEXT", ONES[one](text))
    said, seen = judged(tmp_path, {"main": MAIN, "other": other}, asked)
    assert any(value != ("value", 1) for value in seen), seen
    assert said != "certain"


PATCHES = [
    "mock.patch('main.W', 2).start()",
    "mock.patch('.'.join(['main', 'W']), 2).start()",
    "n = 'W'\nmock.patch(f'main.{n}', 2).start()",
    "mock.patch.multiple('main', W=2).start()",
    "mock.patch.dict('main.__dict__', W=2).start()",
    "mock.patch.dict('main.__dict__', {'W': 2}).start()",
    "mock.patch.dict('main.__dict__', {chr(87): 2}).start()",
    "mock.patch.dict(in_dict='main.' + '__dict__', values=[(chr(87), 2)]).start()",
    "mock.patch(target='main.' + chr(87), new=2).start()",
    "mock.patch(*['main.' + chr(87), 2]).start()",
    "mock.patch(**{'target': 'main.' + chr(87), 'new': 2}).start()",
    "import main\nmock.patch.object(main, chr(87), 2).start()",
    "import main\nmock.patch.object(target=main, attribute=chr(87), new=2).start()",
    "import main\np = mock.patch.object\np(main, chr(87), 2).start()",
    "import functools, main\np = functools.partial(mock.patch.object, main)\np(chr(87), 2).start()",
    "import main\nm = mock.MagicMock(side_effect=mock.patch.object)\nm(main, chr(87), 2).start()",
    "import main\nm = mock.MagicMock(side_effect=setattr)\nm(main, chr(87), 2)",
    "import main\nm = mock.Mock(wraps=main)\nsetattr(m._mock_wraps, chr(87), 2)",
    "import timeit\nt = timeit.Timer\nt('import main; main.' + chr(87) + ' = 2').timeit(1)",
    "import timeit\ntimeit.Timer(setup='import main; main.' + chr(87) + ' = 2').timeit(1)",
    "import timeit\ntimeit.timeit(number=1, stmt='import main; main.' + chr(87) + ' = 2')",
]


@pytest.mark.parametrize("patch", PATCHES)
def test_what_a_path_sets(patch: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"main": MAIN, "other": f"from unittest import mock\n\n{patch}\n"}, "W")
    assert ("value", 2) in seen
    assert said != "certain"


@pytest.mark.parametrize(
    "other",
    [
        "import timeit\n\nt = timeit.timeit('sum([1])', number=1)\n",
        "import timeit\n\nt = timeit.default_timer()\n",
        "import timeit\n\n\ndef f():\n    pass\n\n\nt = timeit.timeit(f, number=1)\n",
        "import timeit\n\nt = timeit.timeit(lambda: 3, number=1)\n",
        "def f():\n    '''Sets nothing.\n\n    >>> f()\n    '''\n",
        "text = 'main.W == 2'\n",
        "import pickle\n\n\ndef read(path):\n    with open(path, 'rb') as file:\n        return pickle.load(file)\n",
        "import pickle\n\n\ndef same(value):\n    return pickle.loads(pickle.dumps(value))\n",
        "import torch\n\n\ndef weights(path):\n    return torch.load(path, map_location='cpu')\n",
        "import re\n\nword = re.compile(r'main.W = 2')\n",
        "import torch\n\n\n@torch.compile(dynamic=True)\ndef f(x):\n    return x\n",
        "import unittest\n\n\n@unittest.skipIf(not isinstance(1, int), 'no ' + 'numbers')\nclass Test:\n    pass\n",
        "from unittest import skipUnless\n\n\ndef there(x):\n    return x\n\n\nclass Test:\n"
        "    @skipUnless(there(1), 'why')\n    def test(self):\n        pass\n",
        "from re import compile\n\n\ndef build(path):\n    return compile(path)\n",
        "names = (lambda: 0).__code__.co_names\n",
        "import timeit\n\n\ndef timed(count):\n    t = timeit.Timer('sum([1])')\n    return t.timeit(count)\n",
        *[
            f"import os\nfrom unittest import mock\nfrom unittest.mock import MagicMock, patch\n\n\n{use}\n"
            for use in [
                "def f(x):\n    with patch('os.getcwd', return_value=x) as m:\n        return m.called_with(x)",
                "def f(x, y):\n    with patch.object(x, 'close', side_effect=y):\n        x.close(y)",
                "def f(x):\n    with mock.patch.dict(os.environ, {'W': x}, clear=True):\n        return x",
                "def f(x):\n    m = MagicMock(spec=x, name=x.name)\n    m.go(x)\n    return m",
                "def f(x):\n    it = x(MagicMock(), tools=x)\n    return it.go(x)",
                "@patch('os.getcwd')\ndef f(x):\n    x.assert_called_once_with(x)",
            ]
        ],
    ],
)
def test_what_sets_nothing(other: str, tmp_path: Path) -> None:
    assert judged(tmp_path, {"main": MAIN, "other": other}, "W")[0] == "certain"


VERSIONS = [
    "version = triton.__version__.split('.')\nmajor, minor = eval(version[0]), eval(version[1])",
    "major = eval(torch.__version__.strip().split('+')[0].split('.')[0])",
    "v = torch.__version__\nmajor = eval(v[0])",
    "major, minor = triton.__version__.split('.')[:2]\nnumbers = eval(major), eval(minor)",
    "for part in triton.__version__.split('.')[:2]:\n    eval(part)",
    "from triton import __version__ as v\n\nexec(v[0])",
    "def number(text):\n    return eval(text)\n\n\nmajor = number(triton.__version__.split('.')[0])",
]
CODE = ONES["computed"]("setattr(__import__('main'), 'W', 2)")
NO_VERSIONS = [
    "version = triton.__version__.split('.')\nversion[0] = CODE\neval(version[0])",
    "version = triton.__version__.split('.')\nversion.insert(0, CODE)\neval(version[0])",
    "version = triton.__version__.split('.')\nversion = [CODE]\neval(version[0])",
    "version = triton.__version__.split('.')\n\n\ndef change(which):\n    which[0] = CODE\n\n\n"
    "change(version)\neval(version[0])",
    "version = triton.__version__.split('.')\nalias = version\nalias[0] = CODE\neval(version[0])",
    "version = triton.__version__\n\n\ndef change():\n    global version\n    version = CODE\n\n\n"
    "change()\neval(version)",
    "version = triton.__version__[:0]\nversion += CODE\neval(version)",
    "eval(CODE + triton.__version__[:0])",
    "eval(triton.__version__[:0].join([CODE]))",
    "eval(triton.__version__.replace(triton.__version__, CODE))",
    "eval(triton.__version__.format(1) and CODE)",
    "class triton:\n    __version__ = CODE\n\n\neval(triton.__version__)",
    "import own\n\neval(own.__version__)",
    "from own import __version__ as v\n\neval(v)",
    "def number(text):\n    return eval(text)\n\n\nnumber(triton.__version__[0])\nnumber(CODE)",
    "for part in [triton.__version__[0], CODE]:\n    eval(part)",
    "version = triton.__version__.split('.')\n\n\ndef run():\n    eval(version[0])",
]


@pytest.mark.parametrize("use", VERSIONS)
@pytest.mark.slow("the first imports torch and Triton")
def test_a_version_sets_nothing(use: str, tmp_path: Path) -> None:
    other = f"import torch\nimport triton\n\n{use}\n"
    assert judged(tmp_path, {"main": MAIN, "other": other}, "W") == ("certain", [("value", 1)] * 2)


@pytest.mark.parametrize("use", NO_VERSIONS)
def test_what_is_no_version_may_set_anything(use: str, tmp_path: Path) -> None:
    files = {"main": MAIN, "own": f"__version__ = {CODE}\n", "other": f"import triton\n\n{use}\n"}
    files["third"] = "import other\n\nif hasattr(other, 'run'):\n    other.version[0] = CODE\n    other.run()\n"
    texts = {name: text.replace("CODE", CODE) for name, text in files.items()}
    said, seen = judged(tmp_path, texts, "W")
    assert ("value", 2) in seen
    assert said != "certain"


RUN_THEIR_OWN = {
    "cgi", "collections.__init__", "dataclasses", "distutils.core", "gettext", "importlib._bootstrap", "inspect",
    "logging.config", "multiprocessing.managers", "multiprocessing.sharedctypes", "optparse", "pydoc", "rlcompleter",
    "site", "tkinter.__init__", "turtle", "typing", "zipimport",
}  # fmt: skip
"""What runs a text that it makes itself, of a file, of an annotation, or of whoever sits before it. (Of another Python
some are not there.)"""
OF_OTHER_PYTHONS = {"annotationlib", "_pyrepl", "string", "asyncio", "sqlite3"}


def test_no_other_module_of_pythons_runs_a_text() -> None:
    root = Path(sysconfig.get_path("stdlib"))
    found: set[str] = set()
    for file in root.rglob("*.py"):
        name = ".".join(file.relative_to(root).with_suffix("").parts)
        if name.startswith(("site-packages", "test", "config-", "lib2to3", "idlelib")):
            continue
        text = file.read_bytes()
        if b"exec(" not in text and b"eval(" not in text:
            continue
        calls = (node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))
        if any(isinstance(function, ast.Name) and function.id in ("exec", "eval") for function in calls):
            found.add(name)
    known = {*RUNNERS, *OF_OTHER_PYTHONS}
    assert {name for name in found - RUN_THEIR_OWN if name.partition(".")[0] not in known} == set()
