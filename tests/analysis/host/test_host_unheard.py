"""What a name stands for does not hang on whether anybody hears why it may be another: where nobody does, that is not
found out."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import host_composed
import host_modules
import pytest
from host_modules import Files
from host_told import UNTOLD, plain

from kernel_analysis.host.changes.touches import Touches
from kernel_analysis.host.evaluate.values import Scope, Value
from kernel_analysis.kernels.project import Project

MODULES = 100

pytestmark = pytest.mark.generated


def spelled(value: Value) -> str:
    told = plain(value)
    return f"{type(value).__name__}: {getattr(value, 'reason', '') if told is UNTOLD else repr(told)}"


def values(folder: Path, questions: list[str], heard: bool) -> list[str]:
    """In a project of its own: nothing is known from before."""
    project = Project([str(folder)], [], patient=True)
    resolver, module = project.resolver, project.module(str(folder / "main.py"))
    scope = resolver.scope(module)
    trees = [ast.parse(question, mode="eval").body for question in questions]
    with resolver.noting() if heard else resolver.unheard():
        return [spelled(resolver.evaluator.evaluate(tree, scope)) for tree in trees]


@pytest.mark.parametrize("files", [host_modules.files, host_composed.files], ids=["changed", "composed"])
def test_a_value_is_the_same_where_nobody_hears_of_its_certainty(files: Callable[[int], Files], tmp_path: Path) -> None:
    known = 0
    for seed in range(MODULES):
        made = files(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name, text in {"config": made.config, "main": made.main, "plugin": made.plugin}.items():
            (folder / f"{name}.py").write_text(text + "\n", encoding="utf-8")
        names = {n.id for n in ast.walk(ast.parse(made.main)) if isinstance(n, ast.Name)}
        questions = [*made.questions, *sorted(names)]
        heard, unheard = values(folder, questions, True), values(folder, questions, False)
        different = [one for one in zip(questions, heard, unheard, strict=True) if one[1] != one[2]]
        assert not different, f"{seed}: {different[:3]}"
        known += sum(not value.startswith("Unknown") for value in heard)
    assert known > MODULES


@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize("name", ["CONFIGS", "TABLE", "BOTH", "MADE"])
def test_what_others_do_to_a_container_is_asked_for_those_who_hear_of_it(
    name: str, heard: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "TABLE = {'a': 1}\nCONFIGS = [2]\nBOTH = (TABLE, CONFIGS)\nMADE = functools.partial(int, base=2)\n"
    text = f"import functools\n{text}"
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    (tmp_path / "other.py").write_text("import main\nmain.TABLE['a'] = 2\n", encoding="utf-8")
    asked: list[str] = []
    others = Touches.by_others

    def by_others(self: Touches, scope: Scope, of: str, value: Value) -> str | None:
        asked.append(of)
        return others(self, scope, of, value)

    monkeypatch.setattr(Touches, "by_others", by_others)
    values(tmp_path, [name], heard)
    assert bool(asked) == heard
