"""One session: a project, a hand, a server under it; at each rest what is shown is compared with a fresh server's."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from hand import projects
from hand.client import connected
from hand.edits import Hand
from hand.rest import differences, fresh, shown
from hand.texts import COUNTED
from hand.tools import TOOLS, folders, open_again, settings_while_typing
from hand.watch import Watch

_MOST = 3
"""Faults of one session that are told."""
KINDS = ("ours", "ours", "examples", "liger", "two")
ENCODINGS = ("utf-16", "utf-16", "utf-8", "utf-32")


@dataclass(slots=True)
class Outcome:
    """What came of sessions. ``faults``: with the seed and what was done; ``replaced``: agents that were ended over
    what was of no use any more, which is no fault."""

    sessions: int = 0
    edits: int = 0
    asked: int = 0
    rests: int = 0
    between: int = 0
    replaced: int = 0
    slowest: tuple[float, str] = (0.0, "")
    faults: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        return (
            f"{self.sessions} sessions, {self.edits} edits, {self.asked} times asked between keys, {self.rests} rests "
            f"and {self.between} moments compared, slowest answer {self.slowest[0]:.2f} s ({self.slowest[1]}); "
            f"{self.replaced} agents replaced; {len(self.faults)} faults"
        )


async def session(seed: int, outcome: Outcome, *, kind: str | None = None, rounds: int = 3, pace: float = 0.03) -> None:
    chance = random.Random(seed)
    kind = kind or chance.choice(KINDS)
    with tempfile.TemporaryDirectory(prefix=f"hand-{seed}-") as folder:
        root = Path(os.path.realpath(folder)) / "work"
        root.mkdir()
        names = projects.make(root, chance, kind)
        pulls = random.Random(f"pulls {seed}").random() < 0.3
        roots = [root / "one", root / "two"] if kind == "two" else [root]
        COUNTED.set(random.Random(f"counted {seed}").choice(ENCODINGS))
        async with connected(roots, {"cache": chance.random() < 0.5}, Path(folder) / "cache", pulls) as client:
            watch = Watch(client, chance)

            async def key(uri: str) -> None:
                watch.look()
                if chance.random() < 0.2:
                    await watch.ask(uri)
                if uri.startswith("file:") and chance.random() < 0.03:
                    await watch.remember(uri)

            hand = Hand(client, root, roots, chance, key, pace)
            said: list[str] = []

            def blame(faults: list[str]) -> None:
                said.extend(faults)

            for name in names:
                hand.open(name)
            try:
                await client.rest()
                agents = client.agents()
                for _ in range(rounds):
                    await _round(hand, watch)
                    await client.rest()
                    watch.end()
                    blame(watch.faults)
                    watch.faults.clear()
                    blame(await _compare(hand, watch, outcome, Path(folder) / "fresh"))
                    if said:
                        break
                outcome.replaced += len(agents - client.agents())
            except Exception as error:  # noqa: BLE001 - what a session comes to is told, and the next one begins
                blame([f"{type(error).__name__}: {error}"])
            await asyncio.sleep(0)
        bad = ("Traceback", " ERROR ", "was lost over")
        blame([f"in the log: {line}" for line in client.log if any(word in line for word in bad)])
        blame([f"told: {message}" for message in client.told])
        blame(client.wrong)
        outcome.sessions += 1
        outcome.edits += hand.edits
        outcome.asked += watch.asked
        outcome.slowest = max(outcome.slowest, client.slowest)
        different = list(dict.fromkeys(said))
        for fault in different[:_MOST]:
            outcome.faults.append(f"seed {seed} ({kind}), {len(different)} faults, after {hand.log[-5:]}: {fault}")


async def _round(hand: Hand, watch: Watch) -> None:
    chance = hand.chance
    uri = chance.choice(hand.open_files)
    function = hand.some_function(uri)
    if function is not None:
        watch.begin(uri, function)
        start, end = await hand.type_statement(uri, function, chance.random() < 0.6)
        if chance.random() < 0.4:
            await asyncio.sleep(chance.choice((0.0, 0.6)))
            await hand.erase(uri, start, end)
        watch.end()
    for _ in range(chance.randrange(1, 4)):
        await _something(hand, watch)
        if not hand.open_files:
            hand.open(chance.choice([str(p.relative_to(hand.root)) for p in sorted(hand.root.rglob("*.py"))]))
    # Most of the time a hand comes to rest on a text that is whole.


async def _something(hand: Hand, watch: Watch) -> None:
    chance, uri = hand.chance, hand.chance.choice(hand.open_files)
    on_disk = hand.changed_disk
    weights = {
        "type": 3, "delete": 2, "paste": 1, "move": 1, "rename": 2, "break": 4, "number": 3, "undo": 2, "ends": 0.4,
        "save": 1, "reopen": 1, "save as": 0.6, "delete file": 0.4, "disk": 1.5, "settings": 0.7, "notebook": 0.4,
        "open": 1,
    }  # fmt: skip
    what = chance.choices([*weights, *TOOLS], [*weights.values(), *TOOLS.values()])[0]
    if not isinstance(what, str):
        await what(hand, uri)
    elif what == "type":
        if (function := hand.some_function(uri)) is not None:
            await hand.type_statement(uri, function, chance.random() < 0.5)
    elif what == "delete":
        await hand.delete_line(uri)
    elif what == "paste":
        await hand.paste_function(uri)
    elif what == "move":
        await hand.move_function(uri)
    elif what == "rename":
        await hand.rename(uri)
    elif what == "break":
        await hand.break_something(uri)
    elif what == "number":
        await hand.change_number(uri)
    elif what == "undo":
        hand.log.append("undo")
        await hand.undo(uri, chance.choice((1, 5, 30)))
    elif what == "ends":
        await hand.replace_all(uri)
    elif what == "save":
        hand.save(uri)
    elif what == "reopen":
        await hand.reopen(uri)
    elif what == "save as":
        await hand.save_as(uri)
    elif what == "delete file":
        await hand.delete_file(uri)
    elif what == "disk":
        await hand.change_on_disk()
    elif what == "settings":
        await hand.change_settings()
    elif what == "notebook":
        await hand.notebook()
    elif closed := [
        p for p in sorted(hand.root.rglob("*.py")) if p.stat().st_size and p.as_uri() not in hand.client.documents
    ]:
        hand.open(str(chance.choice(closed).relative_to(hand.root)))
        hand.log.append("open another file")
    if hand.changed_disk != on_disk or what in ("settings", settings_while_typing, folders, open_again):
        watch.changed()


async def _compare(hand: Hand, watch: Watch, outcome: Outcome, cache: Path) -> list[str]:
    """At rest, and one of the moments since the last rest."""
    client = hand.client
    texts = {uri: hand.text(uri) for uri in hand.open_files}
    live = {uri: await shown(client, uri) for uri in texts}
    new = await fresh(hand.folders, texts, client.settings, cache)
    outcome.rests += 1
    found = [
        f"at rest, {hand.path(uri).name}: {what}"
        for uri in texts
        for what in differences(live[uri], new[uri], settled=True)
    ]
    for uri in {each.uri for each in client.published} - texts.keys():
        if client.shown(uri):
            found.append(f"at rest, of a document that is closed: {client.shown(uri)}")
    snapshots, watch.snapshots = watch.snapshots, []
    if snapshots and not found:
        one = hand.chance.choice(snapshots)
        then = await fresh(hand.folders, one.texts, client.settings, cache)
        outcome.between += 1
        wrong = differences(one.shown, then[one.uri], settled=False)
        found += [f"between keys, {hand.path(one.uri).name}: {what}" for what in wrong]
    return found


def run(seeds: range, outcome: Outcome, tell: bool = True) -> None:
    for seed in seeds:
        before, began = len(outcome.faults), time.monotonic()
        asyncio.run(session(seed, outcome))
        for fault in outcome.faults[before:]:
            if tell:
                print(f"FAULT {fault}\n", flush=True)
        if tell:
            print(f"seed {seed}: {time.monotonic() - began:.0f} s; {outcome}", flush=True)
