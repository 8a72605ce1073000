"""Reads the Markdown pages of the corpus: each fenced Python block is one case. Knows nothing of the analysis."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
_FENCE = re.compile(r"^```(?P<info>\S.*)?$")
_DEF = re.compile(r"^\s*(?:@.*|\))\n\s*def (\w+)\(", re.MULTILINE)
_CHECKS = re.compile(r"<!--\s*checks:\s*(?P<names>[\w, ]+?)\s*-->")
_VERSION = re.compile(r"^triton(?P<relation>>=|<)(?P<version>\d+\.\d+)$")


@dataclass(slots=True)
class Case:
    """One block of a page: a file with kernels, other files beside it, and how to run its kernels.

    ``runs``: the interpreter can execute ``run``; otherwise that only says what a launch looks like. ``checks`` names
    the families of facts that the page wants compared one to one: ``order``, ``masks``, ``uniform``, ``values``.
    """

    page: str
    name: str
    line: int
    source: str
    target: str = "cuda:90"
    at_least: tuple[int, int] = (0, 0)
    below: tuple[int, int] = (99, 0)
    files: dict[str, str] = field(default_factory=dict[str, str])
    run: str | None = None
    run_line: int = 0
    runs: bool = False
    checks: frozenset[str] = frozenset()

    @property
    def id(self) -> str:
        return f"{self.page}:{self.name}"

    def holds_for(self, triton: str) -> bool:
        major, minor = triton.split(".")[:2]
        return self.at_least <= (int(major), int(minor)) < self.below


@dataclass(slots=True)
class _Block:
    info: list[str]
    line: int
    text: str


def _blocks(text: str) -> list[_Block]:
    blocks: list[_Block] = []
    opened: _Block | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if opened is None and fence:
            opened, lines = _Block((fence["info"] or "").split(), number + 1, ""), []
        elif opened is not None and line == "```":
            opened.text = "\n".join(lines) + "\n"
            blocks.append(opened)
            opened = None
        else:
            lines.append(line)
    if opened is not None:
        raise ValueError(f"the block that opens at line {opened.line - 1} is never closed")
    return blocks


def read(path: Path) -> list[Case]:
    """The cases of one page, in order. Raises ValueError, with the page and line, on what it doesn't understand."""
    text = path.read_text(encoding="utf-8")
    checks = frozenset(name.strip() for found in _CHECKS.finditer(text) for name in found["names"].split(","))
    cases: list[Case] = []
    files: dict[str, str] = {}
    for block in _blocks(text):
        where = f"{path.name}:{block.line}"
        if not block.info or block.info[0] != "python":
            continue
        words = block.info[1:]
        if words in (["run"], ["call"]):
            if not cases or cases[-1].run is not None:
                raise ValueError(f"{where}: a run block belongs right after the block that it runs")
            cases[-1].run, cases[-1].run_line, cases[-1].runs = block.text, block.line, words == ["run"]
            continue
        if words and words[0].startswith("file="):
            files[words[0].removeprefix("file=")] = block.text
            continue
        names = _DEF.findall(block.text)  # decorated ones
        case = Case(path.stem, names[-1] if names else "", block.line, block.text, files=files, checks=checks)
        files = {}
        for word in words:
            version = _VERSION.match(word)
            if version:
                major, minor = (int(part) for part in version["version"].split("."))
                if version["relation"] == ">=":
                    case.at_least = (major, minor)
                else:
                    case.below = (major, minor)
            elif word.startswith("target="):
                case.target = word.removeprefix("target=")
            elif word.startswith("name="):
                case.name = word.removeprefix("name=")
            else:
                raise ValueError(f"{where}: unknown word {word!r} after ```python")
        cases.append(case)
    if len({case.name for case in cases}) != len(cases):
        names = sorted({case.name for case in cases if sum(case.name == other.name for other in cases) > 1})
        raise ValueError(f"{path.name}: two blocks are named {', '.join(names)}; give one a name=...")
    return cases


def read_all() -> list[Case]:
    """Every case of every page."""
    pages = sorted(path for path in HERE.glob("*.md") if path.name != "README.md")
    return [case for path in pages for case in read(path)]
