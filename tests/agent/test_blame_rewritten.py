"""A kernel whose decorator gives it another text is not analysed as it stands, and is nobody's error; every way to do
so in the kernel's file, in another, and in one that this imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.kernels import HEAD
from agent.process import Agent

CLASS = "from triton.runtime.jit import JITFunction\n\n\nclass made(JITFunction):\n"
WAYS = {
    "wrapper": (
        "def made(fn):\n    j = triton.jit(fn)\n"
        "    j._unsafe_update_src(j.src.replace('store(x', 'store(y'))\n    return j\n"
    ),
    "of a jit function": (
        "def made(fn):\n    fn = triton.jit(fn)\n    change(fn)\n    return fn\n\n\n"
        "def change(j):\n    j._unsafe_update_src(j.src.replace('store(x', 'store(y'))\n"
    ),
    "class": CLASS
    + (
        "    def __init__(self, fn, **more):\n        super().__init__(fn, **more)\n"
        "        self._unsafe_update_src(self.src.replace('store(x', 'store(y'))\n"
    ),
    "its text": CLASS
    + (
        "    def __init__(self, fn, **more):\n        super().__init__(fn, **more)\n"
        "        self._src = self.src.replace('store(x', 'store(y')\n"
    ),
    "its tree": CLASS + "    def parse(self):\n        return turned(super().parse())\n",
}
ONLY = {
    "wrapper": "def made(fn):\n    return triton.jit(fn)\n",
    "class": CLASS + "    def __init__(self, fn, **more):\n        super().__init__(fn, **more)\n",
}
KERNEL = "@made\ndef k(x, y):\n    tl.store(x, tl.load(y))\n"
WRONG = "@made\ndef k(x, y):\n    tl.store(x, NOT_HERE)\n"


def shown(folder: Path, kernel: str, way: str, far: str) -> tuple[set[str], set[str]]:
    if far == "here":
        text = HEAD + way + "\n\n" + kernel
    else:
        text = HEAD + "from making import made\n\n\n" + kernel
        (folder / "making.py").write_text(HEAD + way if far == "there" else "from deeper import made\n")
        (folder / "deeper.py").write_text(HEAD + way if far == "further" else "")
    (folder / "k.py").write_text(text)
    with Agent(folder, patient=True) as agent:
        answer = agent.analyze(folder / "k.py")
    report = answer.reports.get("k", {"parameters": []})
    return {one["severity"] for one in answer.findings}, {one["written"] for one in report["parameters"]}


@pytest.mark.slow("two agents, each with another kernel")
@pytest.mark.parametrize("far", ["here", "there", "further"])
@pytest.mark.parametrize("way", list(WAYS))
def test_nothing_is_said_of_it(tmp_path: Path, way: str, far: str) -> None:
    severities, written = shown(tmp_path, KERNEL, WAYS[way], far)
    assert "no" not in written
    assert "error" not in severities
    severities, _ = shown(tmp_path, WRONG, WAYS[way], far)
    assert severities == {"information"}


@pytest.mark.slow("two agents, each with another kernel")
@pytest.mark.parametrize("far", ["here", "there"])
@pytest.mark.parametrize("way", list(ONLY))
def test_as_it_stands(tmp_path: Path, way: str, far: str) -> None:
    _, written = shown(tmp_path, KERNEL, ONLY[way], far)
    assert written == {"yes", "no"}
    severities, _ = shown(tmp_path, WRONG, ONLY[way], far)
    assert severities == {"error"}
