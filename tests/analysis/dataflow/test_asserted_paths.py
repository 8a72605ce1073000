"""What a kernel asserts while it is compiled, and where: read off the text, as what is sure to be met."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from dataflow_helpers import HEAD

from kernel_analysis.dataflow.proven.asserted_paths import asserted
from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project


@pytest.mark.parametrize(
    ("body", "holds"),
    [
        ("tl.static_assert(A)", ["A"]),
        ("tl.static_assert(A, 'why')\nstatic_assert(B)", ["A", "B"]),
        ("if A:\n    tl.static_assert(B)", ["not A or B"]),
        ("if A:\n    pass\nelse:\n    tl.static_assert(B)\ntl.static_assert(A)", ["A or B", "A"]),
        ("if A:\n    if n > 0:\n        tl.static_assert(B)", ["not A or not n > 0 or B"]),
        ("if A:\n    return\ntl.static_assert(B)", ["A or B"]),
        ("if A:\n    pass\nelif B:\n    return\ntl.static_assert(A)", ["not A or A"]),
        ("if A:\n    tl.static_assert(B)\n    return\n    tl.static_assert(n)", ["not A or B"]),
        ("tl.static_assert(A)\nreturn\ntl.static_assert(B)", ["A"]),
        ("for i in tl.static_range(A):\n    tl.static_assert(B)\ntl.static_assert(A)", ["A"]),
        ("for i in tl.static_range(A):\n    return\ntl.static_assert(A)", []),
        ("while n > 0:\n    tl.static_assert(B)", []),
        ("tl.device_assert(A)\nassert A\nchecked.static_assert(A)\nsome_assert(A)", []),
    ],
)
def test_asserted(tmp_path: Path, body: str, holds: list[str]) -> None:
    lines = "\n    ".join(body.splitlines())
    file = tmp_path / "kernels.py"
    file.write_text(
        f"{HEAD}from triton.language import static_assert\nimport checked\n\nif checked.some:\n"
        "    some_assert = static_assert\nelse:\n    some_assert = checked.other\n\n\n"
        f"@triton.jit\ndef kernel(x, n, A: tl.constexpr, B: tl.constexpr):\n    {lines}\n    tl.store(x, 1.0)\n"
    )
    project = Project([str(tmp_path)], [str(tmp_path)])
    function = next(f for f in project.module(str(file)).functions if f.name == "kernel")
    found = asserted(cut(project, function).functions[0])
    assert [ast.unparse(test) for test, _ in found] == holds
    assert all(way for _, way in found)
