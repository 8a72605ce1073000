"""What is told of a text's launches, and what they pass where torch runs it: its kernel writes down what it is launched
with."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.host.evaluate.argument import UNKNOWN, HostArgument
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.launches import launched
from kernel_analysis.source.dtypes import TRITON

torch = pytest.importorskip("torch")

HEAD = "import torch\n\n"
KERNEL = HEAD + "import triton\n\n\n@triton.jit\ndef k(x, n):\n    pass\n\n\n"
Passed = tuple[Any, Any]


class Kernel:
    """Writes down what it is launched with."""

    def __init__(self) -> None:
        self.launches: list[Passed] = []

    def __getitem__(self, grid: object) -> Callable[[Any, Any], None]:
        return lambda x, n: self.launches.append((x.dtype if isinstance(x, torch.Tensor) else type(x), n))


def told(folder: Path, body: str, others: dict[str, str]) -> list[HostArgument]:
    (folder / "main.py").write_text(KERNEL + body, encoding="utf-8")
    for name, text in others.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(folder)], [], patient=True)
    function = project.module(str(folder / "main.py")).functions[0]
    passed = launched.arguments(project, function, project.launches_of(function))
    assert passed
    return [one[name] for one in passed for name in ("x", "n")]


def wrong(said: HostArgument, real: Any) -> bool:
    """Whether it is certain, and not so."""
    if said.varies or not said.sure:
        return False
    if isinstance(real, torch.dtype):
        return said.kind != "tensor" or said.dtype not in (None, TRITON[str(real).removeprefix("torch.")])
    if said.value is not UNKNOWN and (type(said.value), said.value) != (type(real), real):
        return True
    return said.kind != type(real).__name__


def run(body: str, call: str = "run()") -> list[Passed]:
    names: dict[str, Any] = {"k": Kernel()}
    exec(compile(HEAD + body + call, "main.py", "exec", dont_inherit=True), names)  # the tests' own text
    return names["k"].launches


def indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())


def held(folder: Path, body: str, launches: list[Passed], others: dict[str, str] | None = None) -> None:
    assert len({*launches}) > 1 or others is not None, launches
    said = told(folder, body, others or {})
    for index, one in enumerate(said):
        # Each of the text's launches against each that took place where all stand on one line of the loop.
        reals = [launch[index % 2] for launch in launches]
        if len(said) == 2:
            assert not any(wrong(one, real) for real in reals), (one, reals)
