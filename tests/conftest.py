"""What every test shares: random examples are the same in every run and have no deadline (a compile may take long); and
no test takes long without saying why.

No fixtures here: they belong beside the tests of the room that needs them.
"""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import settings

settings.register_profile("triton-ls", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("triton-ls")

LONG: Final = 2.0
"""Seconds of processor time that a test may take, with all processes that it starts or asks, its fixtures not counted:
a busy machine makes nothing slow by that measure. Above it, ``@pytest.mark.slow("why")``."""
STRICT: Final = "TRITON_LS_SLOW"
"""Set by ``make nightly``: there it is an error. Elsewhere it is listed at the end of the run: another machine may be
slower, or do something for the first time."""

_NEW: Final = 10_000
"""Objects more than before until cycles are looked for: with Python's own 700, that is a quarter of the tests' time."""

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_TOOK: Final = pytest.StashKey[float]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    slow: Counter[Path] = Counter()
    tests: Counter[Path] = Counter()
    for item in items:
        tests[item.path] += 1
        for mark in item.iter_markers("slow"):
            slow[item.path] += 1
            if not (mark.args and isinstance(mark.args[0], str) and mark.args[0].strip()):
                raise pytest.UsageError(f"{item.nodeid} is marked as slow: say why, @pytest.mark.slow('...')")
    if hasattr(config, "workerinput"):
        # A file is one process's: what takes long goes first, so that none is left with it at the end.
        items.sort(key=lambda item: (not slow[item.path], -tests[item.path]))


def pytest_collection_finish() -> None:
    _keep_what_is()
    gc.set_threshold(_NEW)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None or nextitem.path != item.path:
        _keep_what_is()


def _keep_what_is() -> None:
    """What is there now stays, or nearly all of it: thousands of tests, torch, Triton. To look through that for cycles
    takes seconds, and they would be those of the test in which it happens."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    before = _Spent()
    result = yield
    # What took no time at all can't have had any from a processor.
    if time.monotonic() - before.at > LONG / 8 and item.get_closest_marker("slow") is None:
        item.stash[_TOOK] = took = _Spent().since(before)
        if took > LONG and os.environ.get(STRICT):
            pytest.fail(f"It took {took:.1f} s of processor time: make it quicker, or mark it as slow and say why.")
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if (took := item.stash.get(_TOOK, 0.0)) > LONG and report.when == "call":
        # Reports are what a test's process says to the one that prints, where there are several.
        report.user_properties.append(("slow", took))
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found = [
        (took, report.nodeid)
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
        for name, took in report.user_properties
        if name == "slow" and isinstance(took, float)
    ]
    if found:
        terminalreporter.section(f"over {LONG:.0f} s of processor time, and no mark says why")
        for took, name in sorted(found, reverse=True):
            terminalreporter.write_line(f"{took:5.1f} s  {name}")


class _Spent:
    """Processor time until now: our own, and that of each process below ours."""

    def __init__(self) -> None:
        self.at = time.monotonic()
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.own = time.process_time() + ended.ru_utime + ended.ru_stime
        self.below = _below(os.getpid())

    def since(self, before: _Spent) -> float:
        # What one took that has ended since is its parent's now.
        return max(0.0, self.own + sum(self.below.values()) - before.own - sum(before.below.values()))


def _below(parent: int) -> dict[int, float]:
    """Seconds by process; empty on a system that doesn't tell. (To look through all of its processes takes longer than
    most tests do.)"""
    found: dict[int, float] = {}
    waiting = [parent]
    while waiting:
        for child in _children(waiting.pop()):
            with contextlib.suppress(OSError), open(f"/proc/{child}/stat", "rb") as file:  # it has ended
                # The name of a program, in parentheses, may have blanks and parentheses in it.
                fields = file.read().rpartition(b")")[2].split()
                found[child] = sum(int(field) for field in fields[11:15]) / _TICKS
                waiting.append(child)
    return found


def _children(process: int) -> list[int]:
    """Of each of its threads; of one that has ended meanwhile, nothing."""
    found: list[int] = []
    with contextlib.suppress(OSError):  # it has ended, or this system does not tell
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children", "rb") as file:
                found += map(int, file.read().split())
    return found
