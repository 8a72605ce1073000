"""A name of a library that another file sets: every way to have a library's module, or to hand it on, with every way to
set a name of it, each run by real Python. What it finds changed must not be told as certain; where nothing is set, it
must be.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import test_host_handed as handed
import test_host_looked_up as looked_up
from host_told import judged

from products import product

MAIN = "import math\n\nW = math.e\n"
_WORDS = {
    r"\bmain\b": "math",
    r"'ma' \+ 'in'": "'ma' + 'th'",
    "'ma' 'in'": "'ma' 'th'",
    r"ma\{part\}": "ma{part}",
    "part = 'in'": "part = 'th'",
    "'MAIN'": "'MATH'",
    r"\bN\b": "e",
    r"'n'\.upper\(\)": "'E'.lower()",
    r"'n = 2'\.upper\(\)": "'E = 2'.lower()",
    r"chr\(78\)": "chr(101)",
    "'xN'": "'xe'",
    "'function'": "'ceil'",
}
SETS = {name: text for name, text in looked_up.SETS.items() if "c.function." not in text}
"""(The function of a library has no globals.)"""
HAVING = {"plain": "import math\n\nc = math\n", "renamed": "import math as c\n", **looked_up.LOOKED_UP}


def _of_library(text: str) -> str:
    for word, other in _WORDS.items():
        text = re.sub(word, other, text)
    return text


@pytest.mark.parametrize(("having", "setting"), product(HAVING, SETS))
def test_what_is_set(having: str, setting: str, tmp_path: Path) -> None:
    plugin = _of_library(f"{HAVING[having]}{SETS[setting]}\n")
    said, seen = judged(tmp_path, {"main": MAIN, "other": "import math\n", "plugin": plugin}, "math.e")
    assert any(value != ("value", math.e) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize(("hand", "body"), product({**handed.HANDED, **handed.UNSEEN}, handed.SETS))
def test_what_is_set_where_it_is_handed_on(hand: str, body: str, tmp_path: Path) -> None:
    deep = handed.SETS[body].replace("\n", "\n    ")
    other = _of_library(handed.OTHER.format(body=handed.SETS[body], deep=deep))
    plugin = _of_library({**handed.HANDED, **handed.UNSEEN}[hand])
    said, seen = judged(tmp_path, {"main": MAIN, "other": other, "plugin": plugin}, "math.e")
    assert any(value != ("value", math.e) for value in seen), seen
    assert said != "certain"


@pytest.mark.parametrize("plugin", ["", "import math\n\nx = math.e\n", "class A:\n    pass\n\n\nA.e = 2\n"])
def test_what_is_read(plugin: str, tmp_path: Path) -> None:
    said, _ = judged(tmp_path, {"main": MAIN, "plugin": plugin}, "math.e")
    assert said == "certain"
