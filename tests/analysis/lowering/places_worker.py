"""Runs in any Python with a Triton: lowers `kernel` of a file and prints what stands at its operations, as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[3] / "analysis")]

from lowering_helpers import HEAD, lower  # noqa: E402


def main() -> None:
    folder, *types = sys.argv[1:]
    text = (Path(folder) / "kernels.py").read_text(encoding="utf-8").removeprefix(HEAD)
    named: dict[str, Any] = dict(item.split("=") for item in types)
    case = lower(Path(folder), text, constants={"N": 16}, **named)
    if case.lowered.ir is None:
        raise SystemExit(str(case.lowered.problem))
    print(json.dumps(sorted([op.name, case.text(op.at)] for op in case.ops())))


main()
