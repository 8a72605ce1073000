"""The pages beside this file: what host code makes of its names, each case run by real Python.

A block is a module; ``# file NAME`` starts another that is imported after it, ``config`` before it. ``# ask X
certain`` asks for the expression ``X``: it must be told for certain, as a ``guess`` with a reason why it may be
another, or not at all (``untold``). What is certain must be what Python has after the import, and after every call of
a function whose name starts with ``later``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from host_python import answers
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

HERE = Path(__file__).parent
_ASKS = re.compile(r"^# ask (?P<question>.+?) (?P<how>certain|guess|untold)$", re.MULTILINE)


@dataclass
class Case:
    page: str
    name: str
    texts: dict[str, str]
    asks: list[tuple[str, str]]


def cases() -> list[Case]:
    found: list[Case] = []
    for page in sorted(HERE.glob("*.md")):
        title = ""
        for part in re.split(
            r"^(## .*|```python\n(?:.*\n)*?```)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE
        ):
            if part.startswith("## "):
                title = part[3:]
            elif part.startswith("```python\n"):
                code = part.removeprefix("```python\n").removesuffix("```")
                asks = [(m["question"], m["how"]) for m in _ASKS.finditer(code)]
                pieces = re.split(r"^# file (\w+)\n", _ASKS.sub("", code), flags=re.MULTILINE)
                texts = {"main": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}
                config = {"config": texts.pop("config")} if "config" in texts else {}
                found.append(Case(page.stem, title, {**config, **texts}, asks))
    return found


CASES = cases()


def test_there_are_as_many_as_were_asked_for() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page}:{case.name}")
def test_page(case: Case, tmp_path: Path) -> None:
    questions = [question for question, _ in case.asks]
    assert questions
    real = answers(case.texts, "main", questions, "later")
    for name, text in case.texts.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    for (question, how), (value, why), seen in zip(
        case.asks, told(project, tmp_path / "main.py", questions), real, strict=True
    ):
        said = "untold" if value is UNTOLD else "guess" if why else "certain"
        if said == "certain":
            assert all(kind == "value" and same(value, other) for kind, other in seen), (
                f"{question} is {value}, not {seen}"
            )
        assert said == how, f"`{question}` is {said} ({value!r}{why and ', ' + why}); Python has {seen}"
