"""Random kernels: no NO may be wrong, and hardly a YES or UNKNOWN needless. Truth is what the interpreter saw."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, note, settings

from corpus.agent_client import Agents
from corpus.truth import NoTruth, Worker, observed
from random_kernels.generate import launches, programs

EXAMPLES = int(os.environ.get("TRITON_LS_RANDOM_KERNELS", "200"))
FACTS = ("read", "written", "table_read", "table_written")
NEEDLESS = 0.02
# How many programs, each with its own decisions, to run: more where something claimed hasn't been seen yet.
ROUNDS = (24, 100, 400)

pytestmark = pytest.mark.generated


class Tally:
    """Counts verdicts, and those that were more than the kernel ever did."""

    def __init__(self) -> None:
        self.verdicts = 0
        self.needless: list[str] = []


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    try:
        worker = Worker(tmp_path_factory.mktemp("log") / "worker.log")
    except NoTruth as error:
        pytest.skip(f"kernels can't be run here: {error}")
    yield worker
    worker.close()


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agents]:
    agents = Agents(tmp_path_factory.mktemp("random"), tmp_path_factory.mktemp("log"))
    yield agents
    agents.close()


@pytest.mark.slow("two hundred random kernels, each run hundreds of times on Triton's interpreter")
def test_random_kernels(agents: Agents, worker: Worker) -> None:
    tally = Tally()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=EXAMPLES == 200,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(programs())
    def each(text: str) -> None:
        note(text)
        _check(text, agents, worker, tally)

    each()
    share = len(tally.needless) / tally.verdicts
    print(f"{tally.verdicts} verdicts, {len(tally.needless)} of them needless ({share:.2%})")
    worst = "\n".join(tally.needless[:20])
    assert share <= NEEDLESS, f"{share:.2%} of {tally.verdicts} verdicts are needless:\n{worst}"


def _check(text: str, agents: Agents, worker: Worker, tally: Tally) -> None:
    file = agents.root / hashlib.sha256(text.encode()).hexdigest()[:12] / "kernels.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    report = next(report for report in agents.get().analyze(file).reports if report["name"] == "kernel")
    assert report["status"] != "failed", f"{[problem['message'] for problem in report['problems']]}\n{text}"
    claims = {(parameter["name"], fact): parameter[fact] for parameter in report["parameters"] for fact in FACTS}
    seen: set[tuple[str, str]] = set()
    for seed, count in enumerate(ROUNDS):
        ran = observed(worker.run(file, launches(seed, count), "random", 1))
        seen |= {(name, fact) for (_, name), facts in ran.items() for fact in facts if fact in FACTS}
        wrong = sorted(f"{name} is {fact}" for name, fact in seen if claims[name, fact] == "no")
        assert not wrong, f"the analysis says no, and {'; '.join(wrong)}\n{text}"
        if all(claim == "no" or key in seen for key, claim in claims.items()):
            break
    for key, claim in claims.items():
        tally.verdicts += 1
        if (claim == "yes" and key not in seen) or claim == "unknown":
            tally.needless.append(f"{file}: {key[0]} {key[1]} is {claim}, and no run did it")
