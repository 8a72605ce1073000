"""Which parameters are behind a place of a kernel."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analysis.small_projects import HEAD, sliced, write
from kernel_analysis.attempt.fault.parameter_dependence import Behind
from kernel_analysis.ir import At

OPERATORS = {"minus": ("-2", "-i"), "plus": ("1 + 2", "i + n"), "not": ("not 1", "not i"), "less": ("1 < 2", "i < n")}


@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_is_one_object_wherever_it_stands(name: str, tmp_path: Path) -> None:
    first, second = OPERATORS[name]
    body = f"    m = {first}\n    for i in range(0, n):\n        tl.store(p + i, {second})\n"
    project = write(tmp_path, work__k=f"{HEAD}@triton.jit\ndef kernel(p, n):\n{body}")
    found = sliced(project, tmp_path / "work/k.py", "kernel")
    texts = [ast.unparse(node) if isinstance(node, ast.expr) else "" for node in found.functions[0].nodes]
    behind = [Behind(found).parameters_behind(At(0, texts.index(text)), (), False) for text in (first, second)]
    assert behind == [set(), {"n"}]
