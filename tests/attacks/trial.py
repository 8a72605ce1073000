"""One trial: a place is made, attacks are tried there in one of the ways that users have, what was said and done is
kept. Judges nothing."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from attacks import through
from attacks.case import KERNEL, Case
from attacks.world import World

REASONS = {"not-analyzed", "compile-error", "recursion"}
SECONDS = 3.0
"""For a kernel. Some attacks go for time or memory, and are to have what they get."""

CONTROL = """\
import triton
import triton.language as tl


@triton.jit
def honest(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + o, mask=o < max(n, tl.cdiv(n, 2)), other=0.0).to(tl.float32)
    tl.store(y_ptr, tl.sum(x * len((1, 2)), 0))
"""
"""Compiled after the attacks, by the same agents: it uses what they tried to change."""

CONTROLS = [Case(f"control-{n}", "analyzed", {KERNEL: CONTROL}) for n in range(8)]


@dataclass(frozen=True, slots=True)
class Outcome:
    """``harm``: what was done, after ``said`` was the answer."""

    world: World
    said: through.Said
    harm: list[str]

    def problems(self, case: Case, name: str = KERNEL) -> list[tuple[int, str, str]]:
        return [p for p in self.said.problems.get(self.world.file(case, name), []) if p[1] in REASONS]

    def statuses(self, case: Case) -> dict[str, str]:
        """Of its kernels."""
        file = self.world.file(case)
        return {name: status for (at, name), status in self.said.status.items() if at == file and name[0] == "k"}


def place(cases: list[Case]) -> Generator[World]:
    folder = Path(tempfile.mkdtemp(prefix="attacks-"))
    world = World(folder / "place", cases)
    try:
        yield world
    finally:
        world.close()
        shutil.rmtree(folder, ignore_errors=True)


def checked(world: World, as_text: bool = True) -> Outcome:
    """``as_text``: once more, as people read it."""
    limit = ("--timeout", str(SECONDS))
    said = through.check(world.work, world.environment(), *limit)
    answers = {"check --format json": said.text}
    if as_text:
        answers["check --format text"] = through.check_as_text(world.work, world.environment(), *limit)
    return Outcome(world, said, world.harm(answers))


def served(world: World) -> Outcome:
    """With every file opened, and a hover on each kernel; the honest ones last."""
    said = through.Said()
    with through.Server(world.work, world.environment(), timeout=SECONDS) as server:
        for cases in ([c for c in world.cases if c not in CONTROLS], CONTROLS):
            texts = {f: text for c in cases for f, text in world.texts[c.name].items() if f.suffix == ".py"}
            server.open(texts)
            server.settle(list(texts))
            for file, text in texts.items():
                said.problems[file] = server.problems(file)
                line = next((n for n, t in enumerate(text.split("\n"), 1) if t.startswith(("def k", "def h"))), 1)
                server.hover(file, line, 5)
        assert server.close() == 0
        said.text = server.said
    return Outcome(world, said, world.harm({"serve": said.text}))
