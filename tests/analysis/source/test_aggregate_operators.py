"""Which texts may have an aggregate with operators: none that has one may be passed over."""

from __future__ import annotations

import pytest

from kernel_analysis.source.text_search.aggregate_operators import OPERATORS, marks

HEADS = [
    "@aggregate\nclass C:\n",
    "@gl.aggregate\nclass C:\n",
    "@tl.core._aggregate\nclass C:\n",
    "from triton.language.core import _aggregate\n\n\n@_aggregate\nclass C:\n",
    "from triton.language.core import (\n    _aggregate,  # private\n    builtin,\n)\n\n\n@_aggregate\nclass C:\n",
    "x = '#'; record = aggregate\n\n\n@record\nclass C:\n",
    "class Plain:\n",
]
HANDED_ON = [
    "from triton.language.core import _aggregate as record\n\n\n@record\nclass C:\n",
    "from more import aggregate as record\n\n\n@record\nclass C:\n",
    "import triton.language.core as c\n\nrecord = c._aggregate if c else None\n\n\n@record\nclass C:\n",
    "from triton.language import core\n\nrecord = getattr(core, '_aggregate')\n\n\n@record\nclass C:\n",
    "from triton.language.core import (\n    _aggregate,\n)\n\nALL = [_aggregate]\n\n\n@ALL[0]\nclass C:\n",
    "from triton.language.core import _aggregate\n\n\ndef f(cls):\n    return _aggregate(cls)\n\n\n@f\nclass C:\n",
    "import triton\n\n\nclass C(Base):\n    record = triton.language.core._aggregate\n\n\n@C.record\nclass D:\n",
]
"""By these another file may have such a class without the word."""
SENTENCES = [
    "# Sums of an aggregate.\n", '"""The aggregate score, which is kept."""\n', "x = 1  # aggregate\n",
    "# aggregate (all of it)\n", "from torch.fx.node import map_aggregate\n",
    "class D:\n    def _aggregate(self, x):\n        return self._aggregate(x)\n",
    '"""\n    aggregate what is read\n"""\n',
]  # fmt: skip
"""That have the word and no such class."""
BODIES = [
    "    @triton.jit\n    def __add__(self, x):\n        pass\n",
    "    def logical_and(self, x):\n        pass\n",
    "    __radd__ = put\n",
    "    pass\n\n\nC.__add__ = put\n",
    "    pass\n\n\nsetattr(C, '__add__', put)\n",
]


@pytest.mark.parametrize("body", [*BODIES, "    def __init__(self):\n        pass\n"])
@pytest.mark.parametrize("head", HANDED_ON)
def test_what_hands_it_on_is_seen(head: str, body: str) -> None:
    assert marks(head + body) == {OPERATORS}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("head", HEADS)
def test_what_has_operators_is_seen(head: str, body: str) -> None:
    assert marks(head + body) == ({OPERATORS} if "aggregate" in head else set())


@pytest.mark.parametrize("body", ["    def __init__(self):\n        pass\n", "    x: tl.tensor\n\n\n__all__ = ['C']\n"])
@pytest.mark.parametrize("head", HEADS)
def test_what_has_none_is_not(head: str, body: str) -> None:
    assert not marks(head + body)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_has_none(sentence: str, body: str) -> None:
    assert not marks(f"{sentence}class Plain:\n{body}")
