"""What a library's function keeps of what it is given: each of the table with the value at every place of a call, run
by real Python. What comes back with the value in it, or hands it to a function, keeps the value itself.
"""

from __future__ import annotations

import collections
import copy
import functools
import io
import itertools
import json
import math
import pprint
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from host_told import told

from kernel_analysis.host.changes.callees import KEPT
from kernel_analysis.kernels.project import Project

CALLS = (
    *("D", "D, E", "E, D", "E, D, E", "E, E, D", "L, D", "F, D", "D, F", "2, D", "D, 2", "N, D", "[], D", "*[D]"),
    *("k=D", "E, k=D", "**{'k': D}", "[], default=D", "L, start=D", "[], start=D", "E, iterable=D", "E, memo=D"),
    *("E, start=D", "times=2, object=D", "L, initial=D", "D, key=F", "E, D, key=F", "K, default=F"),
    *(
        "*L, D",
        "L, *[D]",
        "*L, *[D]",
        "[D]",
        "{'k': D}",
        "object=D",
        "D, repeat=2",
        "L, 0, D",
        "D, memo=E",
        "D, E, None",
    ),
)
HEAD = """import collections
import copy
import itertools
import json
import math
import pprint

D = {"N": 1}
E, L, N, K = {}, [[1]], None, object()
F = lambda *given: SEEN.append(given) or len(SEEN)
"""
_DEEPEST = 4


def parts(value: Any) -> Iterator[Any]:
    """What can be had from a value by going through it."""
    if isinstance(value, dict):
        yield from value.values()
    if isinstance(value, Iterable) and not isinstance(value, str):
        yield from itertools.islice(value, 20)


def has(value: Any, marked: object, depth: int = 0) -> bool:
    return value is marked or depth < _DEEPEST and any(has(part, marked, depth + 1) for part in parts(value))


@functools.cache
def _modules() -> dict[str, Any]:
    return {module.__name__: module for module in (collections, copy, itertools, json, math, pprint)}


def gives_back(call: str) -> bool:
    """Whether Python has the value itself once the call is done, in what it gives or in what a function was given."""
    seen: list[Any] = []
    names: dict[str, Any] = {**_modules(), "D": {"N": 1}, "E": {}, "L": [[1]], "N": None, "K": object()}
    names["F"] = lambda *given: seen.append(given) or len(seen)
    try:
        with redirect_stdout(io.StringIO()):
            return has([eval(call, names), *seen, names["E"]], names["D"])  # the test's own text
    except Exception:  # noqa: BLE001 - what Python does not take keeps nothing
        return False


@pytest.mark.slow("fifteen hundred calls, each told and run")
@pytest.mark.parametrize("path", [*sorted(KEPT), "itertools.repeat", "collections.ChainMap", "functools.partial"])
def test_what_gives_it_back_has_it(path: str, tmp_path: Path) -> None:
    function = path.removeprefix("builtins.")
    calls = [call for arguments in CALLS if gives_back(call := f"{function}({arguments})")]
    for number, call in enumerate(calls):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "main.py").write_text(f"{HEAD}\n\ndef later():\n    return {call}\n", encoding="utf-8")
        ((_, why),) = told(Project([str(folder)], [], patient=True), folder / "main.py", ["D['N']"])
        assert why, f"{call} gives it back, and it is called certain"
