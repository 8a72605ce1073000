"""Every source with every effect, and every way to get it called: nothing is done, and nothing of it is analysed."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from attacks import product
from attacks.case import KERNEL, Case
from attacks.trial import CONTROLS, Outcome, checked, place, served

CASES = product.cases({**product.EFFECTS, **product.INSIDE})
# Whether a kernel is refused an agent decides, whoever asks it: through a server go some of them, with each effect and
# each way, and all that are written by hand (`test_attacks`).
SERVED = [case for n, case in enumerate(CASES) if product.EVERY or n % 5 == 0 or case.name.startswith("ways")]


@pytest.fixture(scope="module")
def by_check() -> Generator[Outcome]:
    for world in place(CASES + CONTROLS):
        yield checked(world, as_text=False)


@pytest.fixture(scope="module")
def by_serve() -> Generator[Outcome]:
    for world in place(SERVED + CONTROLS):
        yield served(world)


def test_a_check_does_nothing(by_check: Outcome) -> None:
    assert by_check.harm == []


def test_a_server_does_nothing(by_serve: Outcome) -> None:
    assert by_serve.harm == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_kernel_is_analysed(case: Case, by_check: Outcome) -> None:
    statuses = by_check.statuses(case)
    assert [name for name, status in statuses.items() if status != "failed"] == []
    assert len(statuses) == case.files[KERNEL].count("def k_")
    assert len({line for line, _, _ in by_check.problems(case)}) >= len(statuses)


@pytest.mark.parametrize("case", SERVED, ids=lambda case: case.name)
def test_a_server_says_the_same(case: Case, by_check: Outcome, by_serve: Outcome) -> None:
    refused, said = ({line for line, _, _ in by.problems(case)} for by in (by_check, by_serve))
    assert said == refused, [p for by in (by_check, by_serve) for p in by.problems(case) if p[0] in said ^ refused]
