"""Every rule has a page, and the page's own examples produce what it says: `# code: severity, severity` on the line,
nothing elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.process import REPOSITORY, Agent
from kernel_analysis.rules import CODES

PAGES = REPOSITORY / "docs" / "rules"
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
_MARK = re.compile(r"#\s(?P<code>[a-z-]+): (?P<severities>[a-z, ]+)$")


def blocks() -> list[tuple[str, int, str]]:
    return [(code, n, text) for code in sorted(CODES) for n, text in enumerate(_BLOCK.findall(_page(code)))]


def _page(code: str) -> str:
    path = PAGES / f"{code}.md"
    return path.read_text() if path.exists() else ""


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == CODES


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_says_what_it_says_why_and_how_to_silence_it(code: str) -> None:
    text = _page(code)
    assert text.startswith(f"# {code}\n")
    assert "\n## Example\n" in text
    assert "\n## What to do\n" in text
    assert f'"{code}": "off"' in text or f"ignore[{code}]" in text


@pytest.fixture(scope="module")
def page_agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Agent, Path]]:
    root = tmp_path_factory.mktemp("pages")
    with Agent(root, patient=True) as agent:
        yield agent, root


@pytest.mark.parametrize(
    ("code", "number", "text"), blocks(), ids=lambda value: str(value) if len(str(value)) < 40 else ""
)
def test_an_example_produces_exactly_its_finding(
    page_agent: tuple[Agent, Path], code: str, number: int, text: str
) -> None:
    agent, root = page_agent
    file = root / f"{code.replace('-', '_')}_{number}.py"
    file.write_text(text)
    expected = [
        (line, mark["code"], severity)
        for line, content in enumerate(text.splitlines(), 1)
        if (mark := _MARK.search(content))
        for severity in mark["severities"].split(", ")
    ]
    assert number or expected, "the first block shows the finding"
    findings = agent.analyze(file).findings
    # That outputs are written is said of every kernel; only its own page counts those hints.
    found = [
        (f["span"]["line"], f["code"], f["severity"])
        for f in findings
        if code == "mutated-parameter" or (f["code"], f["severity"]) != ("mutated-parameter", "hint")
    ]
    assert sorted(found) == sorted(expected), [f["message"] for f in findings]
