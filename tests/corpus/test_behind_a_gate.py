"""Every kernel of the pages behind a test that no compile takes: what it does there, the text alone must say. A page's
``yes`` or ``unknown`` may become ``unknown`` then, never ``no``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from corpus.agent_client import Agents
from corpus.expected import parse
from corpus.pages import Case, read_all

_GATE = (
    "import os as _os; import triton.language as _tl; "
    "BEHIND_A_GATE = _tl.constexpr(_os.environ.get('BEHIND_A_GATE', '0') == '1')"
)
CASES = [case for case in read_all() if case.page not in ("blame", "robust", "source")]
pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def agents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agents]:
    agents = Agents(tmp_path_factory.mktemp("gate"), tmp_path_factory.mktemp("log"))
    yield agents
    agents.close()


def _behind(source: str) -> tuple[str, str] | None:
    """The text with the body of its last kernel behind the gate, and that one's name; None where it has none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    kernels = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if not kernels or not imports:
        return None
    kernel, lines = kernels[-1], source.split("\n")
    first, last = kernel.body[0].lineno - 1, kernel.end_lineno or 0
    head = max(node.end_lineno or 0 for node in imports if node.lineno < kernel.lineno)
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    if not indent or first < head:
        return None
    body = [f"{indent}if BEHIND_A_GATE:", *["    " + line if line.strip() else line for line in lines[first:last]]]
    return "\n".join([*lines[:head], _GATE, *lines[head:first], *body, *lines[last:]]), kernel.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_text_alone(case: Case, agents: Agents) -> None:
    made = _behind(case.source)
    if made is None:
        pytest.skip("no kernel to put behind a gate")
    source, name = made
    agent = agents.get(case.target)
    if not case.holds_for(agent.triton):
        pytest.skip(f"the page says that this does not hold for Triton {agent.triton}")
    claimed = next((f for f in parse(case.source).functions if f.name == name), None)
    if claimed is None or claimed.status == "failed":
        pytest.skip("nothing is claimed of it")
    folder = agents.only({**case.files, f"{case.name or 'block'}.py": source})
    report = next((r for r in agent.analyze(folder / f"{case.name or 'block'}.py").reports if r["name"] == name), None)
    assert report is not None
    found = {parameter["name"]: parameter for parameter in report["parameters"]}
    wrong = [
        f"{parameter} {fact} is no behind the gate, and {verdict} on the page"
        for (parameter, fact), verdict in claimed.facts.items()
        if report["status"] in ("analyzed", "partial") and parameter in found and found[parameter][fact] == "no"
    ]
    assert not wrong, f"{case.page}.md, block at line {case.line}:\n  " + "\n  ".join(wrong)
