"""What it costs to answer about files: calls, those of Triton's own code left out, as no clock does it twice alike."""

from __future__ import annotations

import cProfile
import gc
import re
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from growth.shapes import Files
from kernel_analysis.agent import service
from kernel_analysis.agent.service import Service

_DEEPEST = 8000
_TOKEN = re.compile(r"\w+|[^\w\s]")


class _Channel:
    cancelled = -1
    waiting = False

    def notify(self, said: object) -> None:
        """Nobody listens."""

    def send(self, message: object) -> None:
        """Nobody keeps anything."""


def calls(root: Path, files: Files) -> Counter[str]:
    """By function, in an agent that sees them for the first time and is asked about ``main.py``."""
    root.mkdir(parents=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    # It is no process of its own, which would give up all but what it needs.
    with ExitStack() as stack:
        for name in ("keep_out", "limit_memory", "confine"):
            stack.enter_context(patch.object(service, name))
        stack.enter_context(patch.object(Service, "_seal"))
        channel: Any = _Channel()
        agent: Any = Service(channel, [])
        agent._initialize({"roots": [str(root)], "settings": {"target": "cuda:90", "cache": False, "patient": True}})
        agent._get_compiler().prepare()
        profile, limit = cProfile.Profile(), sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _DEEPEST))
        profile.enable()
        try:
            agent._analyze({"file": str(root / "main.py"), "generation": 1, "first_line": None})
        finally:
            profile.disable()
            sys.setrecursionlimit(limit)
        del agent
    gc.collect()
    found: Counter[str] = Counter()
    for entry in profile.getstats():
        if isinstance(entry.code, str) or "/triton/" in entry.code.co_filename:
            continue
        file = entry.code.co_filename.rpartition("kernel_analysis/")[2]
        where = f"{file}:{entry.code.co_firstlineno} {entry.code.co_name}"
        found[where] += entry.callcount
        for called in entry.calls or ():
            if isinstance(called.code, str):
                found[f"{where} -> {called.code}"] += called.callcount
    return found


def size(files: Files) -> int:
    """In words and signs: blanks before lines that stand far inside are none."""
    return sum(len(_TOKEN.findall(text)) for text in files.values())


def growth(costs: list[int], sizes: list[int]) -> float:
    """How many times as much each word costs of those that came last as of those that came before."""
    steps = [(costs[i + 1] - costs[i]) / (sizes[i + 1] - sizes[i]) for i in (0, 1)]
    return steps[1] / max(steps[0], 1.0)
