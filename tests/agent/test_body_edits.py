"""Somebody types in bodies of kernels: what is said after each edit is what an agent says that never saw the text,
whatever was kept of the functions around it."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import products
from kernel_analysis import wire
from kernel_analysis.agent import service
from kernel_analysis.agent.file.kept_reports import KeptReports
from kernel_analysis.agent.protocol import channel
from kernel_analysis.agent.service import Service
from kernel_analysis.kernels import find, launches
from kernel_analysis.rules import subject

KERNELS = """import torch
import triton
import triton.language as tl

SCALE = 3
WIDE: tl.constexpr = tl.constexpr(16)


def pick(p):
    return p


@triton.jit
def double(v):
    {double}
    return v + v


@triton.jit
def scaled(v):
    w = double(v)
    {scaled}
    return w


@triton.jit
def first(p, q, n, BLOCK: tl.constexpr, UNUSED: tl.constexpr):
    at = tl.arange(0, BLOCK)
    {first}
    tl.store(p + at, scaled(tl.load(q + at, mask=at < n)), mask=at < n)


@triton.autotune(configs=[triton.Config({{"BLOCK": 16}}), triton.Config({{"BLOCK": 32}}, num_warps=8)], key=["n"])
@triton.jit
def second(p, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    {second}
    tl.store(p + at, tl.load(p + at) * 2.0, mask=at < n)


@triton.jit
def third(p, SIZE: tl.constexpr):
    {third}
    tl.store(p, 1)


@triton.jit
def alone(p, q: tl.constexpr):
    {alone}
    tl.store(p, q)


def run(x: torch.Tensor, y: torch.Tensor):
    n = x.numel()
    first[(1,)](x, y, n, BLOCK=64, UNUSED=3)
    second[(n,)](x, n)
    third[(1,)](x, y)
    third[(1,)](x, 8)
    alone(x, 3)
    first[(1,)](x, x, n, BLOCK=64, UNUSED=5)
    for kernel in (first, second):
        kernel[(1,)](x, n)


@torch.library.triton_op("mine::run", mutates_args=())
def op(x: torch.Tensor) -> None:
    torch.library.wrap_triton(third)[(1,)](x, 8)
"""
SLOTS = ("double", "scaled", "first", "second", "third", "alone")
LINES = (
    "pass",
    "pass  # a comment",
    "pass  # triton-ls: ignore",
    "tl.static_print('UNUSED')",
    "z = SCALE",
    "z = SCALE + WIDE",
    "z = double(1)",
    "z = scaled(1.0)",
    "alone(p, 3)",
    "third(p, 3)",
    "tl.zeros((SIZE,), tl.float32)",
    "z = UNUSED",
    "return 1",
    "z = (",
    "z = nothing",
    "def inner(): pass",
    "z = triton.jit(pick)",
    "z = pick(double)",
    "second.configs = []",
    "global SCALE",
    "z = tl.reduce(tl.arange(0, 16), 0, double)",
    "tl.store(p, 2)",
    "z = '''",
    "for i in range(3): tl.store(p, i)",
)


class Heard:
    """The server's end: what was said of a text."""

    cancelled, waiting = -1, False

    def __init__(self) -> None:
        self.said: list[Any] = []

    def notify(self, said: wire.Said) -> None:
        encoder = json.JSONEncoder(default=channel.as_object)
        self.said.append((wire.METHODS[type(said)], json.loads(encoder.encode(said))))

    def send(self, message: dict[str, Any]) -> None:
        raise AssertionError(message)


def agent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Service, Heard]:
    monkeypatch.setattr(service, "keep_out", lambda roots: None)
    monkeypatch.setattr(service, "limit_memory", lambda limit: None)
    monkeypatch.setattr(service, "confine", lambda may_read: None)
    heard = Heard()
    made: Any = Service(heard, [])  # pyright: ignore[reportArgumentType]
    made._seal = lambda: None
    made._initialize({"roots": [str(folder)], "settings": {"target": "cuda:90", "cache": False}})
    return made, heard


def asked(made: Any, heard: Heard, file: Path, text: str, first_line: int | None) -> dict[str, Any]:
    """What it says of a text in the end, without what is each answer's own."""
    heard.said.clear()
    made._document({"file": str(file), "text": text})
    reply = made._analyze({"file": str(file), "generation": 1, "first_line": first_line})
    said: dict[str, Any] = {"depends": sorted(reply.depends), "final": reply.final, "about": []}
    for method, params in heard.said:
        if method == "kernel":
            report = params["report"]
            for signature in report["signatures"]:
                for own in ("cached", "compile_ms", "analysis_ms"):
                    signature.pop(own, None)
            said[report["qualname"]] = report
        elif method == "index":
            said["index"] = params["kernels"], params["findings"]
        elif method == "about":
            said["about"] += params["findings"]
    return said


def edits(seed: int, count: int) -> Iterator[tuple[str, int]]:
    """Texts that each differ from the one before in a line of one body; and where."""
    chosen, lines = random.Random(seed), dict.fromkeys(SLOTS, "pass")
    for _ in range(count):
        slot = chosen.choice(SLOTS)
        lines[slot] = "pass" if chosen.random() < 0.3 else chosen.choice(LINES)
        text = KERNELS.format(**lines)
        yield text, KERNELS.split("{" + slot + "}")[0].count("\n") + 1


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def differing(seed: int, count: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many of the reports were kept."""
    file = folder / "m.py"
    file.write_text(KERNELS.format(**dict.fromkeys(SLOTS, "pass")))
    typed, heard = agent(folder, monkeypatch)
    known = KeptReports.get
    kept: list[bool] = []

    def get(*asked: Any) -> Any:
        kept.append((found := known(*asked)) is not None)
        return found

    monkeypatch.setattr(KeptReports, "get", get)
    for number, (text, line) in enumerate(edits(seed, count)):
        now = asked(typed, heard, file, text, line)
        if not parses(text):  # what is in the part that does not, is known of the text before
            continue
        of_typed = sum(kept)
        fresh, of_fresh = agent(folder, monkeypatch)
        # By content: what it compiles to is the same for both.
        fresh._cache = typed._cache  # pyright: ignore[reportPrivateUsage]
        assert now == asked(fresh, of_fresh, file, text, line), (seed, number)
        assert sum(kept) == of_typed
    return sum(kept)


def test_each_edit_is_answered_as_by_who_never_saw_the_text_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert differing(0, 8, tmp_path, monkeypatch) > 8


def test_a_key_in_one_body_asks_nothing_of_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "m.py"
    lines = dict.fromkeys(SLOTS, "pass")
    typed, heard = agent(tmp_path, monkeypatch)
    asked(typed, heard, file, KERNELS.format(**lines), None)
    done: list[str] = []

    def counted(owner: Any, name: str, what: Callable[..., str]) -> None:
        real = getattr(owner, name)

        def counting(*args: Any) -> Any:
            done.append(f"{name} {what(*args)}")
            return real(*args)

        monkeypatch.setattr(owner, name, counting)

    counted(find, "functions", lambda resolver, module: "")
    counted(launches, "attach", lambda resolver, module, functions: "")
    counted(subject, "of_call", lambda resolver, module, group, stacks: group[0][0].name)
    counted(KeptReports, "keep", lambda kept, project, job, report, levels: job.function.name)
    lines["alone"] = "tl.store(p, 2)"
    asked(typed, heard, file, KERNELS.format(**lines), 51)
    assert done == ["keep alone"]
    done.clear()
    lines["first"] = "tl.store(p, 2)"
    asked(typed, heard, file, KERNELS.format(**lines), 27)
    # A helper is shown by the kernels that call it.
    assert sorted({*done}) == ["keep double", "keep first", "keep scaled", "of_call first"]


@pytest.mark.skipif(not products.EVERY, reason="some hundred texts are compiled twice")
@pytest.mark.parametrize("seed", range(1, 11))
def test_so_is_each_of_many(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert differing(seed, 50, tmp_path, monkeypatch)
