"""Kernels that nobody here wrote, retyped: ``python tests/faults/hand/retype.py PACKAGE... [--seeds FIRST COUNT]
[--only WORD] [--thinks 0.3]``. Prints what disturbs; a session is one file."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hand.calm import Calm
from hand.client import Client, connected
from hand.edits import Hand
from hand.rest import differences, fresh, shown
from hand.retyping import KINDS, Kind, Retyping, statements
from hand.texts import functions
from hand.watch import Watch
from hand.writing import BY_TOOLS, WRITTEN

_MOST_LINES = 500
_PACES = (0.0, 0.03, 0.1)


@dataclass(slots=True)
class Outcome:
    """``early``, ``far``: of ``Calm``; ``settled``: seconds after the last key, of each edit; ``faults``: with the file
    and the edit."""

    sessions: int = 0
    edits: int = 0
    keys: int = 0
    publishes: int = 0
    early: int = 0
    rests: int = 0
    moments: int = 0
    far: list[str] = field(default_factory=list[str])
    passing: list[str] = field(default_factory=list[str])
    kinds: Counter[str] = field(default_factory=Counter[str])
    settled: list[float] = field(default_factory=list[float])
    faults: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        times = sorted(self.settled) or [0.0]
        return (
            f"{self.sessions} files, {self.edits} edits {dict(self.kinds)}, {self.keys} keys, {self.publishes} "
            f"publishes, {self.early} with an error while keys followed, {len(self.far)} syntax errors elsewhere, "
            f"{self.rests} rests and {self.moments} moments against a fresh server; settled after "
            f"{times[len(times) // 2]:.2f} s, at most {times[-1]:.2f}; {len(self.faults)} faults"
        )


def files(package: Path, most_lines: int = _MOST_LINES) -> list[Path]:
    """Those with jit functions that are no longer than somebody scrolls."""
    found = [path for path in sorted(package.rglob("*.py")) if path.stat().st_size < 60_000]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in found}
    return [
        path
        for path in found
        if any(statements(texts[path], f) for f in functions(texts[path])) and texts[path].count("\n") < most_lines
    ]


def beside(file: Path, found: Sequence[Path]) -> list[Path]:
    """Two more that are open: those that import something of it, or whose functions it imports."""
    text = file.read_text(encoding="utf-8", errors="replace")
    others = [other for other in found if other != file]
    named = [other for other in others if re.search(rf"\b{file.stem}\b", other.read_text(errors="replace"))]
    named += [other for other in others if re.search(rf"\bimport\b.*\b{other.stem}\b|\.{other.stem} import", text)]
    return [*dict.fromkeys(named)][:2]


@dataclass(slots=True)
class Session:
    """One file, some edits of it. ``stops``: how often somebody comes to rest between two keys, and all is compared.
    ``kinds``: the edits, where they are not drawn. ``thinks``: how often somebody pauses for longer than new errors
    wait. ``beside``: other files that are open."""

    package: Path
    file: Path
    seed: int
    edits: int = 4
    kinds: Sequence[Kind] = ()
    drawn: Mapping[Kind, float] = field(default_factory=lambda: KINDS)
    stops: int = 2
    pace: float | None = None
    thinks: float = 0.0
    longest: float = 1.0
    beside: Sequence[Path] = ()
    tells: bool = False
    faults: list[str] = field(default_factory=list[str])

    async def run(self, outcome: Outcome) -> None:
        chance = random.Random(f"{self.seed} {self.file.name}")
        with tempfile.TemporaryDirectory(prefix="retype-") as folder:
            root = Path(os.path.realpath(folder)) / "work"
            shutil.copytree(self.package, root, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.dist-info"))
            async with connected([root], {"cache": False}, Path(folder) / "cache") as client:
                pace = chance.choice(_PACES) if self.pace is None else self.pace
                await self._with(client, root, chance, pace, outcome)
            bad = ("Traceback", " ERROR ", "was lost over")
            self._say("in the log", [line for line in client.log if any(word in line for word in bad)])
            self._say("told", client.told)
            self._say("of the protocol", client.wrong)
        outcome.sessions += 1
        outcome.faults += [f"seed {self.seed}, {self.file.name}: {each}" for each in dict.fromkeys(self.faults)]

    def _say(self, when: str, faults: list[str]) -> None:
        self.faults += [f"{when}: {each}" for each in faults]

    async def _with(self, client: Client, root: Path, chance: random.Random, pace: float, outcome: Outcome) -> None:
        watch, stops = Watch(client, chance), self.stops
        hand = Hand(client, root, [root], chance, lambda uri: key(uri), pace, self.thinks, self.longest)
        uri = hand.open_path(root / self.file.relative_to(self.package))
        for beside in self.beside:
            hand.open_path(root / beside.relative_to(self.package))
        await client.rest()
        calm, text, before = Calm(client, uri, watch), hand.text(uri), await shown(client, uri)
        cache = root.parent / "fresh"

        async def key(uri: str) -> None:
            nonlocal stops
            watch.look()
            await calm.key()
            if chance.random() < 0.02:
                await watch.remember(uri)
            if stops and hand.text(uri) != text and chance.random() < 0.015:
                stops -= 1
                await client.rest()
                watch.look()
                new = await fresh([root], {uri: hand.text(uri)}, client.settings, cache)
                outcome.rests += 1
                self._say(calm.where("at rest"), differences(await shown(client, uri), new[uri], settled=True))

        async def rest() -> None:
            await client.rest()
            watch.look()
            texts = {each: hand.text(each) for each in hand.open_files}
            new = await fresh([root], texts, client.settings, cache)
            outcome.rests += 1
            for each in texts:
                said = differences(await shown(client, each), new[each], settled=True)
                self._say(f"{hand.path(each).name} {calm.where('at rest')}", said)

        bodies = [each for each in functions(text) if statements(text, each)]
        for kind in self.kinds or chance.choices([*self.drawn], [*self.drawn.values()], k=self.edits):
            on = Retyping(hand, uri, chance.choice(bodies).name, chance.random() < 0.6, rest=rest)
            calm.what = f"{kind.__name__} in {on.name}"
            if kind not in BY_TOOLS:
                await calm.begin(on.name)
            await kind(on)
            assert hand.text(uri) == text, f"{calm.what}: the hand left another text"
            await client.rest()
            outcome.settled.append(calm.settled())
            calm.end(before, await shown(client, uri))
            if self.tells:
                print(
                    "\n".join([f"  {calm.what}", *dict.fromkeys([*self.faults, *calm.faults, *watch.faults])]),
                    flush=True,
                )
            outcome.edits += 1
            outcome.kinds[kind.__name__] += 1
        watch.end()
        self.faults += calm.faults
        self._say("watched", watch.faults)
        new = await fresh([root], {uri: text}, client.settings, cache)
        outcome.rests += 1
        self._say("at the end", differences(await shown(client, uri), new[uri], settled=True))
        for one in chance.sample(watch.snapshots, min(1, len(watch.snapshots))):
            then = await fresh([root], one.texts, client.settings, cache)
            outcome.moments += 1
            self._say("between keys", differences(one.shown, then[uri], settled=False))
        outcome.keys += calm.keys
        outcome.publishes += calm.publishes
        outcome.early += calm.early
        outcome.far += calm.far
        outcome.passing += calm.passing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 1), metavar=("FIRST", "COUNT"))
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--pace", type=float, help="seconds between two keys; else quick")
    parser.add_argument("--thinks", type=float, default=0.0, help="how many of the keys are followed by a pause")
    parser.add_argument("--edits", type=int, default=4, help="of each file")
    parser.add_argument("--writes", action="store_true", help="what is new, too: helpers, parameters, configs")
    parser.add_argument("--longest", type=float, default=1.0, help="that such a pause may be")
    parser.add_argument("--lines", type=int, default=_MOST_LINES)
    options = parser.parse_args()
    outcome = Outcome()
    drawn = WRITTEN if options.writes else KINDS
    first, count = options.seeds
    for seed in range(first, first + count):
        for package in options.packages:
            every = files(package.resolve(), options.lines)
            found = [file for file in every if options.only in file.name]
            if options.sample:
                found = random.Random(seed).sample(found, min(options.sample, len(found)))
            for file in found:
                told, began = len(outcome.faults), time.monotonic()
                one = Session(package.resolve(), file, seed, options.edits, drawn=drawn, pace=options.pace)
                one.thinks, one.longest, one.beside = options.thinks, options.longest, beside(file, every)
                one.tells = True
                asyncio.run(one.run(outcome))
                for fault in outcome.faults[told:][:12]:
                    print(f"FAULT {fault}\n", flush=True)
                print(f"{file.name}: {time.monotonic() - began:.0f} s; {outcome}", flush=True)
    print("\n".join([*outcome.far, *outcome.passing]))
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
