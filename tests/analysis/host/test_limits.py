"""Every limit of what reads host code, set as small as it gets: less is certain then, and nobody is accused. A number
that a module of these rooms has for itself counts as one, whatever it is called."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from host_told import judged
from test_host_layout import WAYS

import kernel_analysis
from kernel_analysis.agent.not_shown import come_to
from kernel_analysis.kernels.project import Project
from kernel_analysis.rules import file_findings
from kernel_analysis.rules.subject import FileSubject
from products import EVERY

ROOMS = ("host", "signature", "rules", "kernels", "source")
ROOT = Path(kernel_analysis.__file__).parent
NO_LIMIT = {
    "host.changes.module_names.reflection._CALLS": "how many of the words are called",
    "host.changes.callees._ANY": "an argument whose place is not known",
    "host.tensors.launches.grids._MOST_AXES": "that Triton has",
    "host.tensors.come_to.reached._TOGETHER": "statements that are looked at together",
    "host.tensors.come_to.shown._TOGETHER": "statements that are looked at together",
    "kernels.files.launches_elsewhere._MOST_ANSWERS": "that are kept, one at least",
    "kernels.files.workspace._AT_ONCE": "texts that are taken in at a time",
    "signature.launches.variants_of.variants_seen._BITS": "of an integer",
}


def _numbers() -> Iterator[tuple[str, str]]:
    for file in sorted(one for room in ROOMS for one in (ROOT / room).rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            plain = value is not None and all(
                isinstance(part, (ast.BinOp, ast.operator))
                or isinstance(part, ast.Constant)
                and type(part.value) is int
                for part in ast.walk(value)
            )
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(target, ast.Name) and plain:
                yield name, target.id


LIMITS = [one for one in _numbers() if ".".join(one) not in NO_LIMIT]
KERNEL = (
    "import contextlib\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef k(x, n, B: tl.constexpr):\n    tl.store(x + n, B)\n\n\n"
)
WORKING = {
    "annotated": "def run(x: torch.Tensor, g: int):\n    k[g](x, 1, 1)\n\n\nrun(0, (1,))\n",
    "annotated, further up": (
        "def run(x: torch.Tensor, g: int):\n    k[g](x, 1, 1)\n\n\n"
        "def up(x: torch.Tensor, g: int):\n    run(x, g)\n\n\nup(0, (1,))\n"
    ),
    "fails": "def go():\n    k[2](0, 1, 1)\ndef up():\n    go()\nwith contextlib.suppress(Exception):\n    up()\n",
    "not shown": "def go():\n    k[2](0, 1, 1)\n\n\ndef up():\n    go()\n\n\nif torch.version.hip:\n    up()\n",
    "stopped": "def stop():\n    exit()\n\n\ndef more():\n    stop()\n\n\nmore()\nk[2](0, 1, 1)\n",
    "chosen": (
        "def hip(x):\n    return torch.version.hip\n\n\ndef ok(x):\n    return hip(x)\n\n\n"
        "def go(x):\n    if ok(x):\n        k[2](x, 1, 1)\n"
    ),
    "set": "N = 2\nglobals()['N'] = (2,)\nk[N](0, 1, 1)\n",
    "a class": "N = (2,)\n\n\nclass C:\n    N = 2\n\n    def go(self):\n        k[N](0, 1, 1)\n",
    "spread": "M = {'n': 1}\nM['B'] = 1\nk[(1,)](0, **M)\n",
}  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    name, constant = request.param
    owner: ModuleType = importlib.import_module(f"kernel_analysis.{name}")
    for module in [one for named, one in sys.modules.items() if named.startswith("kernel_analysis")]:
        if vars(module).get(constant, None) is vars(owner)[constant] and (
            module is owner or not constant.startswith("_") and f"import {constant}" in _text(module)
        ):
            monkeypatch.setattr(module, constant, 0)


def _text(module: ModuleType) -> str:
    return Path(str(module.__file__)).read_text(encoding="utf-8")


def test_what_is_no_limit_is_there() -> None:
    assert {*NO_LIMIT} <= {".".join(one) for one in _numbers()}
    assert len(LIMITS) > 100


@pytest.mark.slow("each of a hundred limits with twenty programs")
@pytest.mark.parametrize("small", LIMITS, indirect=True, ids=".".join)
def test_a_limit_falls_to_what_is_not_certain(small: None, tmp_path: Path) -> None:
    for number, (way, text) in enumerate([*WAYS.items()][:: 1 if EVERY else 3]):
        question = "D['N']" if "import D" in text else "N"
        folder = tmp_path / str(number)
        folder.mkdir()
        assert judged(folder, {"main": "N = 1\nD = {'N': 1}\n", "other": text + "\n"}, question)[0] != "certain", way
    for way, text in WORKING.items():
        folder = tmp_path / way
        folder.mkdir()
        (folder / "main.py").write_text(KERNEL + text, encoding="utf-8")
        project = Project([str(folder)], [], patient=True)
        module = project.module(str(folder / "main.py"))
        found = come_to.of_file(project.resolver, module, file_findings(FileSubject(project, module), {}))
        assert not [one.message for one in found if one.severity in ("error", "warning")], way
