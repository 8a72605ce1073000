"""Another module in the place of one that is imported: every way to put it into ``sys.modules`` with every way to have
the name, each run by real Python. What the other one has must not be told as certain of the one that the file names.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from host_told import judged

from products import product

HEAD = "import operator\nimport sys\nimport types\nfrom unittest import mock\n\nimport pytest\n\n"
FAKE = "fake = types.ModuleType('conf')\nfake.N = 2\n"
WAYS = {
    "item": "sys.modules[KEY] = fake",
    "held": "loaded = sys.modules\nloaded[KEY] = fake",
    "method": "sys.modules.__setitem__(KEY, fake)",
    "where there is none": "sys.modules.pop(KEY)\nsys.modules.setdefault(KEY, fake)",
    "update": "sys.modules.update({KEY: fake})",
    "joined": "sys.modules |= {KEY: fake}",
    "operator": "operator.setitem(sys.modules, KEY, fake)",
    "passed": "def put(loaded):\n    loaded[KEY] = fake\n\n\nput(sys.modules)",
    "fixture": "monkeypatch = pytest.MonkeyPatch()\nmonkeypatch.setitem(sys.modules, KEY, fake)",
    "its name": "from sys import modules\n\nmodules[KEY] = fake",
    "another name": "import sys as s\n\ns.modules[KEY] = fake",
    "patched": "mock.patch.dict(sys.modules, {KEY: fake}).start()",
    "patched by a text": "mock.patch.dict('sys.modules', {KEY: fake}).start()",
    "asked for": "getattr(sys, 'modules')[KEY] = fake",
    "among names": "vars(sys)['modules'][KEY] = fake",
}
KEYS = {
    "spelled": ("", "'conf'"),
    "put together": ("", "'co' + 'nf'"),
    "named": ("name = 'conf'\n", "name"),
    "of some": ("NAMES = ('other', 'conf')\n", "NAMES[1]"),
    "split": ("NAMES = 'other conf'.split()\n", "NAMES[-1]"),
    "computed": ("", "chr(99) + 'onf'"),
    "formatted": ("part = 'co'\n", "f'{part}nf'"),
    "asked": ("names = {'a': 'conf'}\n", "names.get('a')"),
}


@pytest.fixture(autouse=True)
def loaded_as_before() -> Iterator[None]:
    with mock.patch.dict(sys.modules):
        yield


def _judged(way: str, key: str, folder: Path) -> tuple[str, list[tuple[str, object]]]:
    made, name = KEYS[key]
    texts = {
        "conf": "N = 1\n",
        "main": "def value():\n    import conf\n\n    return conf.N\n",
        "other": f"{HEAD}{FAKE}{made}{WAYS[way].replace('KEY', name)}\n",
    }
    return judged(folder, texts, "value()")


@pytest.mark.parametrize(("way", "key"), product(WAYS, KEYS))
def test_what_takes_the_place_of_a_module(way: str, key: str, tmp_path: Path) -> None:
    said, seen = _judged(way, key, tmp_path)
    assert ("value", 2) in seen, seen
    assert said != "certain"


@pytest.mark.parametrize(
    "other",
    [
        "sys.modules['theirs'] = None",
        "for each in ('one', 'two'):\n    sys.modules[each] = None",
        "def load(name):\n    sys.modules[name] = None\n\n\nload('theirs')\ndata = 'folder/conf/*.json'",
        "for each in list(sys.modules):\n    if each.startswith('theirs'):\n        sys.modules.pop(each)",
        "for each in list(sys.modules):\n    if each.startswith('theirs'):\n        del sys.modules[each]",
        "monkeypatch = pytest.MonkeyPatch()\nmonkeypatch.setitem(sys.modules, 'theirs', None)",
        "there = 'conf' in sys.modules, len(sys.modules), dict(sys.modules)",
        "with mock.patch.dict(sys.modules, {'theirs': None}):\n    pass",
        "mock.patch.dict('sys.modules', {'theirs': None}).start()",
    ],
)
def test_what_takes_the_place_of_another(other: str, tmp_path: Path) -> None:
    texts = {
        "conf": "N = 1\n",
        "main": "import conf\n\n\ndef value():\n    return conf.N\n",
        "other": f"{HEAD}{other}\n",
    }
    said, seen = judged(tmp_path, texts, "value()")
    assert all(value == ("value", 1) for value in seen), seen
    assert said == "certain"
