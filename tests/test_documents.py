"""The pages for whoever works on this: what they link to and name is there. Whether they are true is a reader's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernel_analysis.codes import SAYS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OF_THE_HOUSE = (
    "CONTRIBUTING",
    "architecture",
    "new-triton",
    "new-torch-function",
    "debugging",
    "latency",
    "glossary",
    "release",
)
PLACES = ("", "analysis", "analysis/kernel_analysis", "server", "server/triton_ls", "tests", "vscode-client")
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
_NAMED = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|ts|toml|json)|(?:[\w-]+/)+)`")
_CODE = re.compile(r"```.*?^```|`\w+\[\w+\]\([^`\n]*`", re.DOTALL | re.MULTILINE)  # a launch looks like a link
_ELSEWHERE = {"kernels.py", "ast.py", "triton.py"}  # in what the user has


def headings(page: Path) -> set[str]:
    """As they are linked to."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_links_to_is_there(page: Path) -> None:
    for target, heading in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not heading or heading in headings(file), f"{page.name} links to {target}#{heading}"


@pytest.mark.parametrize("name", OF_THE_HOUSE)
def test_files_that_a_page_names_are_there(name: str) -> None:
    (page,) = [page for page in PAGES if page.stem == name]
    files = {path.name for place in ("analysis", "server", "tests") for path in (ROOT / place).rglob("*.py")}
    for named in _NAMED.findall(page.read_text(encoding="utf-8")):
        plain = "/" not in named and named in files
        there = any((ROOT / place / named).exists() for place in PLACES)
        assert plain or there or named in _ELSEWHERE, f"{page.name} names {named}"


def test_the_readme_has_a_row_for_each_rule() -> None:
    named = re.findall(r"\[`([\w-]+)`\]\(docs/rules/([\w-]+)\.md\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {code for code, page in named if code == page} == SAYS.keys()
