"""All shapes, each in a process of its own that may be killed: ``many.py [NAME ...] [--times 1]``: how they grow, and
which functions are called more than in proportion."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1])]

from growth.measure import calls, growth, size  # noqa: E402
from growth.shapes import SHAPES  # noqa: E402

_SECONDS = 120


def one(name: str, times: int) -> None:
    """One shape, with what grows in it."""
    shape, smallest = SHAPES[name]
    numbers = [smallest * times * factor for factor in (1, 2, 4)]
    with tempfile.TemporaryDirectory() as folder:
        counts, sizes, seconds = [], [], []
        for number in numbers:
            start = time.process_time()
            counts.append(calls(Path(folder) / str(number), files := shape(number)))
            seconds.append(time.process_time() - start)
            sizes.append(size(files))
    totals = [sum(count.values()) for count in counts]
    factor = growth(totals, sizes)
    print(f"{factor:6.2f} {name} {numbers} calls {totals} size {sizes} s {[round(s, 2) for s in seconds]}", flush=True)
    if factor > 1.2:
        steps = (sizes[1] - sizes[0], sizes[2] - sizes[1])
        more = {
            where: counts[2][where] - counts[1][where] - (counts[1][where] - counts[0][where]) * steps[1] / steps[0]
            for where in counts[2]
        }
        for where in sorted(more, key=more.__getitem__, reverse=True)[:8]:
            print(f"         {where} {[count[where] for count in counts]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:  # what is made when it is first used
        calls(Path(folder) / "first", next(iter(SHAPES.values()))[0](2))
    for name in options.names or SHAPES:
        child = os.fork()
        if not child:
            resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
            try:
                one(name, options.times)
            except BaseException as error:  # noqa: BLE001
                print(f"  ?    {name}: {error!r}", flush=True)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            print(f"  ?    {name}: more than {_SECONDS} s", flush=True)


if __name__ == "__main__":
    main()
