"""What the analysis says about expressions of a module, and whether it calls that certain."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from host_python import answers

from kernel_analysis.host.evaluate.values import Dict, EnumMember, Items, TorchDtype, Value, Wrapped
from kernel_analysis.kernels.project import Project

UNTOLD = object()


def judged(
    folder: Path, texts: dict[str, str], question: str, installed: Sequence[str] = ()
) -> tuple[str, list[tuple[str, Any]]]:
    """Whether what is said of ``question`` in ``main``, one of these files, is ``certain``, a ``guess`` or ``untold``;
    and what real Python says of it at each moment."""
    (seen,) = answers(texts, "main", [question], "later")
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    ((value, why),) = told(Project([str(folder)], [*installed], patient=True), folder / "main.py", [question])
    return "untold" if value is UNTOLD else "guess" if why else "certain", seen


def told(project: Project, file: Path, questions: list[str]) -> list[tuple[Any, str]]:
    """For each question the value (``UNTOLD`` where none is known), and why it may be another; empty: it is certain."""
    module = project.module(str(file))
    scope = project.resolver.scope(module)
    found: list[tuple[Any, str]] = []
    for question in questions:
        with project.resolver.noting() as notes:
            value = project.resolver.evaluator.evaluate(ast.parse(question, mode="eval").body, scope)
        found.append((plain(value), min(notes, default="")))
    return found


def plain(value: Value) -> Any:
    """The value as Python has it."""
    if isinstance(value, Wrapped):
        return plain(value.value)
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, EnumMember) and value.plain:
        return plain(value.value)
    if isinstance(value, Items):
        items = [plain(v) for v in value.values]
        if UNTOLD in items or value.kind not in ("tuple", "list"):
            return UNTOLD
        return items if value.kind == "list" else tuple(items)
    if isinstance(value, Dict):
        pairs = {plain(k): plain(v) for k, v in value.pairs}
        return UNTOLD if UNTOLD in pairs.values() or UNTOLD in pairs else pairs
    if isinstance(value, TorchDtype):
        return value
    return UNTOLD


def same(one: Any, other: Any) -> bool:
    """Whether two values are one, their types included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, float):
        return repr(one) == repr(other)  # -0.0 is another than 0.0
    return one == other
