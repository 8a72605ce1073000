"""What is below the gate: the same attacks with the gate switched off, and with the audit hook off, too. What stays
inside of the process is the gate's alone; files, processes, the network and secrets are held by what is left."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from attacks import product, through
from attacks.case import handwritten
from attacks.trial import SECONDS, place
from kernel_analysis.agent.sandbox import landlock

RUNNER = str(Path(__file__).with_name("runner.py"))
SLOW = ("huge", "string_replace")  # they want time or memory, which the gate alone refuses at once
WRITTEN = [case for case in handwritten() if not case.at_root and not any(word in case.name for word in SLOW)]
# With the gate off every source is Python's eval, and what is left sees what is done and no source: each effect, each
# way, and some of the sources.
SOURCES = list(product.SOURCES)[:: 1 if product.EVERY else 8]
CASES = product.cases(product.EFFECTS, SOURCES) + WRITTEN
# What shows at once that it was done, and leaves nothing behind.
REAL = {
    name: effect
    for name, effect in product.EFFECTS.items()
    if name not in ("popen", "popen-by-name", "posix-spawn", "fork", "exec", "environment", "environment-of-the-parent")
}


def harm(without: str, cases: list[product.Case]) -> Generator[list[str]]:
    for world in place(cases):
        environment = {**world.environment(), "ATTACKS_WITHOUT": without}
        said = through.check(world.work, environment, "--timeout", str(SECONDS), runner=RUNNER)
        yield world.harm({"check": said.text})


@pytest.mark.slow("the attacks are carried out")
def test_the_attacks_are_real() -> None:
    """With everything off they do what they are said to do."""
    cases = [
        c for c in product.cases(REAL, parts=1) if c.name in ("source-another-name", "source-core-builtins", "ways-0")
    ]
    (done,) = harm("gate,audit,system", cases)
    assert len(done) > 20


@pytest.mark.skipif(landlock.version() < 1, reason="this kernel has no Landlock")
@pytest.mark.parametrize("without", ["gate", "gate,audit", "gate,system"])
@pytest.mark.slow("each effect and each way, tried for good: what they start has to end")
def test_what_is_left_holds(without: str) -> None:
    (done,) = harm(without, CASES)
    assert done == []
