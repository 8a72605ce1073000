"""Many random programs by hand: ``python tests/enumerated/many.py [first] [count] [--views 2] [--jobs 8]``.

Prints what was said and is not so, the smallest program for the first of them, and what the unknowns are for. Needs
this repository, Triton and Python's own library, and no network.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from corpus.agent_client import AgentError
from enumerated.agreement import Difference, Product, Tally, View, differences, views
from enumerated.generate import program
from enumerated.program import Program
from enumerated.shrink import shrink
from enumerated.truth import Truth, TruthWorker


@dataclass(slots=True)
class Found:
    """Something wrong with what is said of one program."""

    seed: int
    program: Program
    difference: Difference


@dataclass(slots=True)
class Outcome:
    """What came of many programs. ``broken``: the agent died, or the reader didn't understand a module."""

    programs: int = 0
    tally: Tally = field(default_factory=Tally)
    found: list[Found] = field(default_factory=list[Found])
    broken: list[str] = field(default_factory=list[str])


class Lane:
    """One agent and one truth worker, side by side."""

    def __init__(self, folder: Path, share: int = 0) -> None:
        self._share = share
        (folder / "root").mkdir(parents=True)
        self.truth = TruthWorker(folder / "truth.log")
        self.product = Product(folder / "root", folder)

    def run(self, seeds: Iterable[int], chosen: Callable[[int, list[View]], list[View]], outcome: Outcome) -> None:
        """Checks programs; the truth about the next is found while the agent answers on this one."""
        waiting: queue.Queue[tuple[int, Program, Truth] | None] = queue.Queue(4)

        def ask() -> None:
            try:
                for seed in seeds:
                    made = program(seed, self._share)
                    try:
                        waiting.put((seed, made, self.truth.ask(made)))
                    except AssertionError as error:
                        outcome.broken.append(f"program {seed}: {error}")
            finally:
                waiting.put(None)

        threading.Thread(target=ask, daemon=True).start()
        while (item := waiting.get()) is not None:
            seed, made, truth = item
            if not truth.valid:
                continue
            outcome.programs += 1
            for view in chosen(seed, list(views(made, truth, seed))):
                try:
                    wrong = differences(made, truth, view, self.product, outcome.tally)
                    outcome.found += [Found(seed, made, difference) for difference in wrong]
                except AgentError as error:
                    outcome.broken.append(f"program {seed} with {view.name} in sight: {error}\n{view.text}")

    def smallest(self, found: Found) -> tuple[Program, Difference]:
        """The smallest program of which the same kind of thing is wrongly said, with the same in sight."""

        def again(smaller: Program) -> Difference | None:
            try:
                truth = self.truth.ask(smaller)
                for view in views(smaller, truth, found.seed) if truth.valid else ():
                    if view.name == found.difference.view.name:
                        wrong = differences(smaller, truth, view, self.product, Tally())
                        return next((d for d in wrong if d.kind == found.difference.kind), None)
            except (AssertionError, AgentError):
                pass  # another mistake than the one that is looked for
            return None

        # Of what is said to happen and never does, all ways have to stay.
        ways = found.difference.kind != "wrong yes"
        smaller = shrink(found.program, lambda candidate: again(candidate) is not None, ways)
        return smaller, again(smaller) or found.difference

    def close(self) -> None:
        """Ends both processes."""
        self.truth.close()
        self.product.close()


def rotating(count: int) -> Callable[[int, list[View]], list[View]]:
    """So many views of each program, others of the next."""
    return lambda seed, all_: [all_[(seed + turn) % len(all_)] for turn in range(min(count, len(all_)))]


def lanes(folder: Path, jobs: int | None = None, share: int = 0) -> list[Lane]:
    """So many; or as many as this machine has cores for."""
    return [Lane(folder / f"lane{index}", share) for index in range(jobs or max(1, (os.cpu_count() or 2) // 2))]


def run(
    given: list[Lane],
    first: int,
    count: int,
    shown: int,
    progress: Callable[[Outcome], None] | None = None,
    within: float | None = None,
) -> Outcome:
    """Checks programs ``first`` and on, ``shown`` views of each, spread over lanes.

    After ``within`` seconds none is begun any more.
    """
    outcome = Outcome()
    end = time.monotonic() + (within or float("inf"))
    chosen = rotating(shown)
    numbers = iter(range(first, first + count))
    lock = threading.Lock()

    def next_seeds() -> Iterator[int]:
        while True:
            with lock:
                seed = next(numbers, None)
                if seed is not None and progress is not None and (seed - first) % 100 == 0:
                    progress(outcome)
            if seed is None or time.monotonic() > end:
                return
            yield seed

    threads = [threading.Thread(target=lane.run, args=(next_seeds(), chosen, outcome)) for lane in given]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcome


def report(found: Found, smaller: Program, difference: Difference) -> str:
    """For people: the program, what is varied, and what is wrong."""
    return f"program {found.seed}: {difference}\n{smaller.header}{difference.view.text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("first", type=int, nargs="?", default=0)
    parser.add_argument("count", type=int, nargs="?", default=1000)
    parser.add_argument(
        "--views", type=int, default=4, help="ways to show each program, of one launch, several, defaults, nothing"
    )
    parser.add_argument("--jobs", type=int, help="lanes of two processes each; without: half as many as cores")
    parser.add_argument("--changed", type=int, default=0, help="how much of what varies is changed by hand")
    parser.add_argument("--shrink", type=int, default=5, help="how many of the wrong answers to make small")
    parser.add_argument("--within", type=float, help="seconds after which no program is begun; without: all are")
    parser.add_argument("--log", type=Path, help="a line of JSON for each difference")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        working = lanes(Path(folder), options.jobs, options.changed)

        def progress(outcome: Outcome) -> None:
            wrong = sum(found.difference.kind != "unknown" for found in outcome.found)
            seconds = time.monotonic() - started
            print(
                f"{outcome.programs} programs, {wrong} wrong, {outcome.tally.share:.2%} unknown, {seconds:.0f} s",
                file=sys.stderr,
            )

        outcome = run(working, options.first, options.count, options.views, progress, options.within)
        progress(outcome)
        if options.log:
            with options.log.open("w", encoding="utf-8") as log:
                for found in outcome.found:
                    difference = found.difference
                    row = (
                        found.seed,
                        difference.kind,
                        difference.view.name,
                        difference.leaf,
                        difference.fact,
                        difference.reason,
                        difference.by,
                    )
                    log.write(json.dumps(row) + "\n")
        wrong = {found.seed: found for found in outcome.found if found.difference.kind != "unknown"}
        for found in list(wrong.values())[: options.shrink]:
            print(report(found, *working[0].smallest(found)), end="\n\n")
        for lane in working:
            lane.close()
    kinds = collections.Counter((found.difference.kind, found.difference.view.name) for found in outcome.found)
    decided = outcome.tally.decided
    print(f"{outcome.programs} programs, {decided} verdicts decided by enumeration; wrong in {len(wrong)} programs")
    for (kind, view), number in sorted(kinds.items()):
        print(f"  {kind} with {view} in sight: {number}")
    print(f"unknown: {outcome.tally.share:.2%}")
    for reason, number in collections.Counter(outcome.tally.unknown).most_common(20):
        print(f"  {number:6} {reason[:150]}")
    for text in outcome.broken[:10]:
        print(text)
    sys.exit(bool(wrong or outcome.broken))


if __name__ == "__main__":
    main()
