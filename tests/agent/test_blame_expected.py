"""A kernel that every launch in sight is to fail with is nobody's error; where one is to succeed, it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kernels import HEAD
from agent.process import Agent

KERNEL = "@triton.jit\ndef k(p):\n    tl.store(p, tl.nope(1))\n\n\n"
UNBOUND = "@triton.jit\ndef k(p):\n    tl.store(p, nope)\n\n\n"
EXPECTED = {
    "raises": "def test_it(x):\n    with pytest.raises(Exception):\n        k[(1,)](x)\n",
    "unittest": "def test_it(self, x):\n    with self.assertRaises(Exception):\n        k[(1,)](x)\n",
    "handed": "def test_it(x):\n    pytest.raises(Exception, lambda: k[(1,)](x))\n",
    "xfail": "@pytest.mark.xfail\ndef test_it(x):\n    k[(1,)](x)\n",
    "skip": "@pytest.mark.skip\ndef test_it(x):\n    k[(1,)](x)\n",
}
NOT_EXPECTED = {
    "plain": "def test_it(x):\n    k[(1,)](x)\n",
    "a way to go on": "def run(x):\n    try:\n        k[(1,)](x)\n    except Exception:\n        return x\n",
    "one of two": EXPECTED["raises"] + "\n\ndef run(x):\n    k[(1,)](x)\n",
    "none": "",
}


def codes(agent: Agent, file: Path, text: str) -> set[str]:
    return {p["code"] for p in agent.show(file, "import pytest\n" + HEAD + text).reports["k"]["problems"]}


@pytest.mark.parametrize("kernel", [KERNEL, UNBOUND])
@pytest.mark.parametrize("way", list(EXPECTED))
def test_it_is_to_fail(agent: Agent, root: Path, way: str, kernel: str) -> None:
    assert codes(agent, root / "expected.py", kernel + EXPECTED[way]) == {"not-analyzed"}


@pytest.mark.parametrize("way", list(NOT_EXPECTED))
def test_it_is_to_succeed(agent: Agent, root: Path, way: str) -> None:
    assert codes(agent, root / "not_expected.py", KERNEL + NOT_EXPECTED[way]) == {"compile-error"}
