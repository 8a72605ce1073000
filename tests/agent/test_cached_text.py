"""A remembered answer says what a new one says: files with one kernel text and different things around it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.process import Agent

KERNEL = """
@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 16):
    offs = tl.arange(0, BLOCK)
    value = tl.load(x_ptr + offs, mask=offs < n)
    {use}
"""

SURROUNDINGS: dict[str, tuple[str, list[str]]] = {
    "a number": ("tl.store(out_ptr + offs, value + GIVEN)", ["GIVEN = tl.constexpr(1)", "GIVEN = tl.constexpr(2.5)"]),
    "no kernel's business": (
        "tl.store(out_ptr + offs, value + GIVEN)",
        [
            "",
            "import os\nGIVEN = os.getpid()",
            "import numpy\nGIVEN = numpy.zeros(3)",
            "from nowhere import GIVEN",
            "from nowhere_else import GIVEN",
            "def make():\n    return input()\n\nGIVEN = make()",
            "def GIVEN():\n    return 1",
            "class GIVEN:\n    pass",
            "GIVEN = {1: 2}",
            "for GIVEN in range(3):\n    pass",
            "GIVEN = 3",
            "GIVEN = 1\ndel GIVEN",
        ],
    ),
    "a helper": (
        "GIVEN(out_ptr + offs, value)",
        [
            "@triton.jit\ndef GIVEN(p, v):\n    tl.store(p, v)",
            "@triton.jit\ndef GIVEN(p, v):\n    tl.load(p)",
            "@triton.jit\ndef put(p, v):\n    tl.store(p, v)\n\n\nGIVEN = put",
            "class Ways:\n    @triton.jit\n    def put(p, v):\n        tl.store(p, v)\n\n\nGIVEN = Ways.put",
            "@triton.jit\ndef GIVEN(p, v, more):\n    tl.store(p, v)",
            "@triton.jit\ndef GIVEN(p, v):\n    tl.store(p, v.nothing)",
            "@triton.jit\ndef GIVEN(p, v):\n    tl.store(p, v + OTHER)",
            "OTHER = open('x')\n\n\n@triton.jit\ndef GIVEN(p, v):\n    tl.store(p, v + OTHER)",
            "def decorated(f):\n    return f\n\n\n@decorated\ndef GIVEN(p, v):\n    tl.store(p, v)",
        ],
    ),
    "a helper by name": (
        "tl.store(out_ptr + offs, value + GIVEN)",
        [
            "@triton.jit\ndef GIVEN(p):\n    return p",
            "class Ways:\n    @triton.jit\n    def GIVEN(p):\n        return p\n\n\nGIVEN = Ways.GIVEN",
        ],
    ),
    "an annotation that is chosen": (
        "GIVEN(out_ptr + offs, value, 1)",
        [
            f"OLD = {old}\n\n\n@triton.jit\ndef GIVEN(p, v, a: tl.constexpr if OLD else None):\n"
            "    tl.static_assert(a == 1)\n    tl.store(p, v)"
            for old in (True, False)
        ],
    ),
    "a launch": (
        "tl.store(out_ptr + offs, value)",
        [
            "import torch\n\n\ndef launch(x):\n    kernel[(1,)](x, torch.empty(16, dtype=torch.float16), 3)",
            "import torch\n\n\ndef launch(x):\n    # twice\n\n    kernel[(1,)](x, torch.empty(16), 3, BLOCK=32)",
            "import torch\n\n\ndef launch(x):\n    kernel[(1,)](x, torch.empty(16), 3.5)",
        ],
    ),
    "an attribute of a namespace": (
        "tl.store(out_ptr + offs, value + GIVEN.a)",
        [
            "class GIVEN:\n    a = tl.constexpr(1)",
            "class GIVEN:\n    b = 1",
            "import nowhere as GIVEN",
            "import collections as GIVEN",
            "from enum import Enum\n\n\nclass GIVEN(Enum):\n    a = 1",
        ],
    ),
    "a comment": (
        "tl.store(out_ptr + offs, value)",
        ["# triton-ls: x_ptr: *fp16", "# triton-ls: x_ptr: *i32, BLOCK = 64", "# nothing"],
    ),
}  # fmt: skip


def files(root: Path) -> Iterator[Path]:
    """Every surrounding of a kernel text in a file of its own, above the kernel or below it, in two folders."""
    numbers = itertools.count()
    for use, around in SURROUNDINGS.values():
        kernel = KERNEL.format(use=use)
        for text, folder in itertools.product(around, ("one", "two")):
            comment = text.startswith("#")
            text = (
                f"{text}{kernel}" if comment else f"{text}\n\n{kernel}" if folder == "one" else f"{kernel}\n\n{text}\n"
            )
            file = root / folder / f"file_{next(numbers)}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"import triton\nimport triton.language as tl\n\n\n{text}")
            yield file


def said(agent: Agent, file: Path) -> list[dict[str, Any]]:
    """All that is reported, less the times and whether it was remembered."""
    reports = [params["report"] for params in agent.analyze(file).of("kernel")]
    for report in reports:
        for signature in report["signatures"]:
            for field in ("compile_ms", "analysis_ms", "cached"):
                del signature[field]
    return reports


@pytest.mark.slow("many kernels, each compiled anew and remembered")
def test_a_remembered_answer_says_what_a_new_one_says(tmp_path: Path) -> None:
    """Each file is asked about by an agent that remembers nothing, and by agents that know all the others."""
    root = tmp_path / "workspace"
    root.mkdir()
    every = list(files(root))
    fresh: dict[Path, Any] = {}
    with Agent(root) as agent:
        for file in every:
            assert agent.initialize(root).error is None  # which begins with an empty cache
            fresh[file] = said(agent, file)
    shuffled = random.Random(13).sample(every, len(every))
    cache = str(tmp_path / "facts.sqlite3")
    for order in (every, shuffled):
        with Agent(root, cache=cache) as agent:
            for file in order:
                assert said(agent, file) == fresh[file], file.read_text()
