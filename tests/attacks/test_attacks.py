"""Every attack in ``cases/``, through ``check`` and through ``serve``: nothing is done, and the answer is right."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from attacks import through
from attacks.case import Case, handwritten
from attacks.trial import CONTROLS, Outcome, checked, place, served

CASES = handwritten()
IN_FOLDERS = [case for case in CASES if not case.at_root]
AT_ROOT = [case for case in CASES if case.at_root]


@pytest.fixture(scope="module")
def by_check() -> Generator[Outcome]:
    for world in place(IN_FOLDERS + CONTROLS):
        yield checked(world)


@pytest.fixture(scope="module")
def by_serve() -> Generator[Outcome]:
    for world in place(IN_FOLDERS + CONTROLS):
        yield served(world)


@pytest.fixture(scope="module")
def root_by_check() -> Generator[Outcome]:
    for world in place(AT_ROOT + CONTROLS):
        yield checked(world)


@pytest.fixture(scope="module")
def root_by_serve() -> Generator[Outcome]:
    for world in place(AT_ROOT + CONTROLS):
        yield served(world)


def test_there_are_enough() -> None:
    assert len(CASES) >= 160


@pytest.mark.parametrize("outcome", ["by_check", "by_serve", "root_by_check", "root_by_serve"])
@pytest.mark.slow("all attacks, each way that a user looks at them")
def test_nothing_is_done(outcome: str, request: pytest.FixtureRequest) -> None:
    assert request.getfixturevalue(outcome).harm == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_of_check(case: Case, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue("root_by_check" if case.at_root else "by_check")
    statuses = outcome.statuses(case)
    if case.answer == "refused":
        assert set(statuses.values()) == {"failed"}
        assert any(outcome.problems(case, name) for name in case.files)
    elif case.answer == "analyzed":
        assert set(statuses.values()) == {"analyzed"}
    assert_marked(case, outcome)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_of_serve(case: Case, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue("root_by_serve" if case.at_root else "by_serve")
    if case.answer == "refused":
        assert any(outcome.problems(case, name) for name in case.files)
    assert_marked(case, outcome)


def assert_marked(case: Case, outcome: Outcome) -> None:
    for name, line in case.marked():
        found = outcome.problems(case, name)
        assert line in {at for at, _, _ in found}, f"no reason on line {line} of {name}, but {found}"


def test_what_is_said_later_is_as_before(by_check: Outcome) -> None:
    """The honest kernel's facts, after and among the attacks, are what they are without any."""
    alone = [through.check(world.work, world.environment()) for world in place(CONTROLS[:1])]
    (expected,) = (shown(kernel) for said in alone for kernel in said.kernels.values())
    for control in CONTROLS:
        assert shown(by_check.said.kernels[by_check.world.file(control), "honest"]) == expected


def test_what_is_served_later_is_as_before(by_serve: Outcome) -> None:
    for control in CONTROLS:
        problems = by_serve.said.problems[by_serve.world.file(control)]
        assert [(line, code) for line, code, _ in problems] == [(6, "mutated-parameter")]


def shown(kernel: dict[str, object]) -> dict[str, object]:
    """Without where it stands and how long it took."""
    text = str({name: value for name, value in kernel.items() if name not in ("file", "signatures")})
    return {"facts": text.replace(str(kernel["file"]), "FILE")}
