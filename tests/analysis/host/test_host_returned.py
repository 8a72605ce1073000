"""What a launch passes that a function of the file returns: every way to leave a function, for every way that what it
is given may go. Each is run with torch, and what is certain must be what was passed each time.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from host_launches import held, indented, run, told, wrong

torch = pytest.importorskip("torch")

LEFT = {
    "an if": "if n:\n    return x.half()",
    "an elif": "if n > 5:\n    return x.half()\nelif n:\n    return x.half()",
    "after it": "if n:\n    return x.half()\nn += 1",
    "nothing": "if not n:\n    return\nreturn x.half()",
    "None": "if not n:\n    return None\nreturn x.half()",
    "for": "for _ in range(n):\n    return x.half()",
    "while": "while n > 0:\n    return x.half()",
    "broken out of": "while True:\n    if not n:\n        break\n    return x.half()",
    "match": "match n:\n    case 1:\n        return x.half()",
    "swallowed": "with contextlib.suppress(IndexError):\n    return x[1 - n].half()",
    "entered": "with contextlib.ExitStack() as s:\n    s.push(lambda *_: True)\n    return x[1 - n].half()",
    "except": "try:\n    return x[1 - n].half()\nexcept IndexError:\n    pass",
    "finally": "try:\n    return x.half()\nfinally:\n    if not n:\n        return None",
    "a loop's finally": "for _ in range(2):\n    try:\n        return x.half()\n    finally:\n        if not n:\n"
    "            break",
    "a generator": "if n:\n    yield 1\nreturn x.half()",
    "a generator of none": "return x.half()\nyield 1",
    "raised": "if n > 5:\n    raise ValueError\nreturn x.half()",
}
CALLS = {"a number": "int(torch.ones(1)[0]) - i", "a size": "torch.ones(1 - i).shape[0]"}
TEXT = "import contextlib\n\n\ndef made(x, n):\n{body}\n\n\ndef run():\n    for i in range(2):\n        {call}\n\n\n"


@pytest.mark.parametrize("given", CALLS)
@pytest.mark.parametrize("left", LEFT)
def test_a_way_to_leave_a_function(left: str, given: str, tmp_path: Path) -> None:
    call = f"k[(1,)](made(torch.zeros(1), {CALLS[given]}), 1)"
    body = TEXT.format(body=indented(LEFT[left], 4), call=call)
    held(tmp_path, body, run(body), {})


CERTAIN = {
    "raises else": "if n > 5:\n    raise ValueError\nelse:\n    return x.half()",
    "both": "if n:\n    return x.half()\nelse:\n    return x.clone().half()",
    "all cases": "match n:\n    case 1:\n        return x.half()\n    case _:\n        return x.half()",
    "no grad": "with torch.no_grad():\n    return x.half()",
    "endless": "while True:\n    return x.half()",
    "tried": "try:\n    return x.half()\nexcept ValueError:\n    raise",
    "inside": "def f():\n    yield 1\nreturn x.half()",
    "at its end": "try:\n    pass\nfinally:\n    return x.half()",
}


@pytest.mark.parametrize("left", CERTAIN)
def test_what_always_returns_it_is_certain(left: str, tmp_path: Path) -> None:
    call = f"k[(1,)](made(torch.zeros(1), {CALLS['a number']}), 1)"
    said = told(tmp_path, TEXT.format(body=indented(CERTAIN[left], 4), call=call), {})[0]
    assert (said.kind, said.dtype, said.sure, said.varies) == ("tensor", "fp16", True, False)


REMEMBERED = {
    "alone": ("x", "1", "1.0", "{}"),
    "a flag": ("x", "True", "1.0", "{}"),
    "two": ("x, y", "1, 2", "1.0, 2", "{}"),
    "by name": ("x", "x=1", "x=True", "{}"),
    "a size": ("x, y", "torch.ones(1).shape[0], 2", "True, 2", "{}"),
    "in a tuple": ("x", "(1,)", "(True,)", "{}[0]"),
}


@pytest.mark.parametrize("cached", ["functools.lru_cache", "functools.lru_cache(maxsize=None)", "functools.cache"])
@pytest.mark.parametrize("given", REMEMBERED)
def test_what_is_remembered_of_what_equals_it(given: str, cached: str, tmp_path: Path) -> None:
    parameters, this, other, part = REMEMBERED[given]
    body = (
        f"import functools\n\n\n@{cached}\ndef first({parameters}):\n    return {part.format('x')}\n\n\n"
        f"def run():\n    first({other})\n    k[(1,)](torch.zeros(1), first({this}))\n\n\n"
    )
    launches = run(body)
    assert (type(launches[0][1]) is int) == (given == "alone")
    held(tmp_path, body, launches, {})


@pytest.mark.parametrize("made", ["t.numel()", "t.half()", "t.numel() * 2", "t[0]"])
def test_a_tensor_of_another_class(made: str, tmp_path: Path) -> None:
    other = (
        "import torch\n\n\nclass T(torch.Tensor):\n    def numel(self):\n        return 2.5\n\n    def half(self):\n"
        "        return self.double()\n\n    def __getitem__(self, i):\n        return 1.5\n\n\n"
    )
    body = f"def run():\n    t = torch.zeros(2)\n    t.__class__ = T\n    k[(1,)]({made}, 1)\n\n\n"
    held(tmp_path, other.partition("\n\n\n")[2] + body, run(other.partition("\n\n\n")[2] + body), {})


STARRED = {
    "a dict": "*{'a': 1, 'b': 2}",
    "a dict of a name": "*d",
    "its keys": "*d.keys()",
    "its values": "*d.values()",
    "a text": "*'ab'",
    "what is computed": "*map(float, (1, 2))",
    "the other way round": "*reversed([1, 2.5])",
}


@pytest.mark.parametrize("starred", STARRED)
def test_what_a_star_spreads(starred: str, tmp_path: Path) -> None:
    text = f"x = torch.zeros(1)\nd = {{'a': x, 'b': x.half()}}\nk[(1,)]({STARRED[starred]})"
    body = f"def run():\n{indented(text, 4)}\n\n\n"
    launches = run(body)
    for passed, real in zip(told(tmp_path, body, {}), launches[0], strict=True):
        said = real.dtype if isinstance(real, torch.Tensor) else real
        assert not wrong(passed, said) or isinstance(said, type) and passed.kind == said.__name__
