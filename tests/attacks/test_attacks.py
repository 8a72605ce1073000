"""Every attack in ``cases/``, through ``check`` and through ``serve``: nothing is done, and the answer is right."""

from __future__ import annotations

from collections.abc import Generator, Iterator

import pytest

from attacks import through
from attacks.case import Case, handwritten
from attacks.trial import CONTROLS, Outcome, checked, place, served
from attacks.world import World

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
    """The honest kernel's facts, after the attacks, are those of a process that compiles nothing else."""
    for control, alone in looked_at_alone(by_check.world):
        (expected,) = (shown(kernel) for kernel in alone.kernels.values())
        assert shown(by_check.said.kernels[by_check.world.file(control), "honest"]) == expected


def test_what_is_served_later_is_as_before(by_serve: Outcome) -> None:
    for control, alone in looked_at_alone(by_serve.world):
        file = by_serve.world.file(control)
        assert brief(by_serve.said.problems[file]) == brief(alone.problems[file])


def looked_at_alone(world: World) -> Iterator[tuple[Case, through.Said]]:
    """Some of the honest kernels where all files lie: what those would do to Triton's functions, were they run, is
    rightly held against it."""
    (world.work / ".git").mkdir(exist_ok=True)
    for control in CONTROLS[:2]:
        yield control, through.check(world.work, world.environment(), only=world.file(control))


def brief(problems: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Without the lines that an editor shows below the first."""
    return sorted((line, code, message.partition("\n")[0]) for line, code, message in problems)


def shown(kernel: dict[str, object]) -> dict[str, object]:
    """Without where it stands and how long it took."""
    text = str({name: value for name, value in kernel.items() if name not in ("file", "signatures")})
    return {"facts": text.replace(str(kernel["file"]), "FILE")}
