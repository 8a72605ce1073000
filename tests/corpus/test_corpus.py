"""Every block of every page: what the agent says of it is what the page says of it, no less and no more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from corpus.agent_client import Agents
from corpus.compare import differences
from corpus.expected import parse
from corpus.pages import Case, read_all

CASES = read_all()
pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agents]:
    agents = Agents(tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("log"))
    yield agents
    agents.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_block(case: Case, agents: Agents) -> None:
    agent = agents.get(case.target)
    if not case.holds_for(agent.triton):
        pytest.skip(f"the page says that this does not hold for Triton {agent.triton}")
    folder = agents.only({**case.files, f"{case.name or 'block'}.py": case.source})
    analysis = agent.analyze(folder / f"{case.name or 'block'}.py")
    wrong = differences(parse(case.source), analysis.reports, analysis.findings, case.checks)
    place = f"{case.page}.md, block at line {case.line}"
    assert not wrong, f"{place} (lines below count inside the block):\n  " + "\n  ".join(wrong)
