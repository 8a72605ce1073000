"""The configs that a kernel is tuned with: every way to list them with everything that the file does to what they are
listed of further down. Held against Triton's own autotuner, for a decorator and for a call.
"""

from __future__ import annotations

import ast
import importlib.util
import itertools
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.project import Project

HEAD = """import triton
import triton.language as tl

SIZES = [16, 32]
OF = {"BLOCK": 16}
LISTED = [triton.Config({"BLOCK": b}) for b in SIZES]


def made():
    return [triton.Config({"BLOCK": b}) for b in SIZES]


"""
LISTS = {
    "a name": "LISTED",
    "another list": "list(LISTED)",
    "spread": "[*LISTED]",
    "a part": "LISTED[:1]",
    "more": 'LISTED + [triton.Config({"BLOCK": 8})]',
    "a comprehension": '[triton.Config({"BLOCK": b}) for b in SIZES]',
    "a function": "made()",
    "of a dict": "[triton.Config(OF)]",
    "of its items": '[triton.Config({"BLOCK": OF["BLOCK"]})]',
    "of another dict": "[triton.Config({**OF})]",
}
LATER = {
    "bound again": 'LISTED = [triton.Config({"BLOCK": 64})]\nSIZES = [64]\nOF = {"BLOCK": 64}',
    "added to": 'LISTED.append(triton.Config({"BLOCK": 64}))\nSIZES.append(64)\nOF["BLOCK"] = 64',
    "augmented": 'LISTED += [triton.Config({"BLOCK": 64})]\nSIZES += [64]\nOF |= {"BLOCK": 64}',
    "set": 'LISTED[0] = triton.Config({"BLOCK": 64})\nSIZES[0] = 64\nOF.update(BLOCK=64)',
    "removed": "del LISTED[0]\ndel SIZES[0]\nOF = dict(BLOCK=64)",
    "by a function": "def later():\n    LISTED.pop()\n    SIZES.append(64)\n    OF.update(BLOCK=64)",
    "another function": "def made():\n    return []",
    "nothing": "pass",
}
KERNEL = "@triton.jit\ndef {name}(x, BLOCK: tl.constexpr):\n    pass\n\n\n"
WAYS = {
    "decorator": "@triton.autotune({lists}, key=[])\n" + KERNEL.replace("{name}", "k") + "{later}",
    "call": KERNEL.replace("{name}", "f") + "k = triton.autotune({lists}, key=[])(f)\n{later}",
}


def tried(file: Path) -> list[dict[str, Any]]:
    """What Triton has them for."""
    spec = importlib.util.spec_from_file_location("tuned", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)  # the tests' own text
    getattr(module, "later", list)()
    return [config.kwargs for config in module.k.configs]


@pytest.mark.parametrize(("lists", "later", "way"), [*itertools.product(LISTS, LATER, WAYS)])
def test_configs_are_what_they_are_made_of_by_then(lists: str, later: str, way: str, tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    file.write_text(HEAD + WAYS[way].format(lists=LISTS[lists], later=LATER[later]), encoding="utf-8")
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.functions(project.module(str(file)))
    said = [{name: ast.literal_eval(value) for name, value in config.items()} for config in function.configs]
    if function.configs_vary is None:
        assert said == tried(file)
    else:
        assert later not in ("bound again", "nothing", "another function") or lists == "spread"
