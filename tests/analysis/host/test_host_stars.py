"""``from config import *`` over a name of the file's own: every way to give ``config`` a name that none of its
statements binds, each run by real Python. What the star brings must not be hidden by what was there before.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_told import judged

SETS = {
    "globals": "globals()['W'] = 2\n",
    "globals, updated": "globals().update({'W': 2})\n",
    "globals, computed": "for letter in 'VW':\n    globals()[letter] = 2\n",
    "globals by a name": "names = globals()\nnames |= {'W': 2}\n",
    "vars": "vars()['W'] = 2\n",
    "locals": "locals()['W'] = 2\n",
    "exec": "exec('W = 2')\n",
    "exec of a computed text": "exec(chr(87) + ' = 2')\n",
    "its module": "import sys\n\nsys.modules[__name__].W = 2\n",
    "its module by a text": "import sys\n\nsetattr(sys.modules[__name__], 'W', 2)\n",
    "its module's dict": "import sys\n\nvars(sys.modules[__name__])['W'] = 2\n",
    "when asked": "__all__ = ['W']\n\n\ndef __getattr__(name):\n    return 2\n",
    "a function that is called": "def start():\n    globals()['W'] = 2\n\n\nstart()\n",
    "a function with a global": "def start():\n    global W\n    W = 2\n\n\nstart()\n",
    "a class's body": "class C:\n    global W\n    W = 2\n",
    "a decorator": "def set_(f):\n    f.__globals__['W'] = 2\n    return f\n\n\n@set_\ndef g():\n    pass\n",
    "a statement": "W = 2\n",
}


@pytest.mark.parametrize("way", SETS)
def test_a_name_that_no_statement_binds(way: str, tmp_path: Path) -> None:
    said, seen = judged(tmp_path, {"config": SETS[way], "main": "W = 1\nfrom config import *\n"}, "W")
    assert ("value", 2) in seen
    assert said != "certain" or way == "a statement"


@pytest.mark.parametrize("way", SETS)
def test_a_name_that_another_star_brings(way: str, tmp_path: Path) -> None:
    texts = {"deeper": SETS[way], "config": "from deeper import *\n", "main": "W = 1\nfrom config import *\n"}
    said, seen = judged(tmp_path, texts, "W")
    assert ("value", 2) in seen
    assert said != "certain" or way == "a statement"


@pytest.mark.parametrize("config", ["V = 2\n", "def f():\n    return 2\n", "import math\n", "__all__ = ['V']\nV = 2\n"])
def test_a_name_that_it_has_not(config: str, tmp_path: Path) -> None:
    assert judged(tmp_path, {"config": config, "main": "W = 1\nfrom config import *\n"}, "W")[0] == "certain"
