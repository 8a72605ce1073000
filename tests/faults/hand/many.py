"""Many sessions by hand: ``python tests/faults/hand/many.py --seeds FIRST COUNT``. Prints what disturbs; needs no
network."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from hand.session import Outcome, run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", nargs=2, type=int, default=(0, 20), metavar=("FIRST", "COUNT"))
    first, count = parser.parse_args().seeds
    outcome = Outcome()
    run(range(first, first + count), outcome)
    print(outcome)
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
