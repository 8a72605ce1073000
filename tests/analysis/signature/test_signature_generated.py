"""Random host code that launches a kernel, run by real torch (``torch_launches.py``): whatever is said for certain of
an argument's type is so.

``TRITON_LS_LAUNCHES`` says how many launches; ``TRITON_LS_LAUNCH_SEED`` with which they begin.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer
from kernel_analysis.signature.signature_model import ParameterType

pytest.importorskip("torch")

HERE = Path(__file__).parent
LAUNCHES = os.environ.get("TRITON_LS_LAUNCHES", "200")
SEED = os.environ.get("TRITON_LS_LAUNCH_SEED", "1")
IN_A_FILE = 10
HEAD = "import math\nimport torch\nimport triton\nimport triton.language as tl\n\n\n"
TYPES = {
    "NoneType": ("constexpr",), "str": ("constexpr",), "dtype": ("constexpr",), "bool": ("i1",), "float": ("fp32",),
    "int": ("i32", "i64", "u64", "constexpr"),
}  # fmt: skip
"""What the kinds of arguments become; an integer has as many bits as it needs, or is a constant."""


def agrees(said: ParameterType, passed: Any) -> bool:
    if isinstance(passed, list):
        return isinstance(said, tuple) and len(said) == len(passed) and all(map(agrees, said, passed))
    return said == passed if passed.startswith("*") else said in TYPES.get(passed, ())


@pytest.mark.generated
@pytest.mark.slow("torch runs what is made until enough of it is a launch")
def test_what_is_certain_of_an_argument_is_so(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, str(HERE / "torch_launches.py"), SEED, LAUNCHES], capture_output=True, check=True, text=True
    )
    launches: list[tuple[str, list[Any]]] = [json.loads(line) for line in made.stdout.splitlines()]
    assert len(launches) == int(LAUNCHES)
    certain = 0
    for start in range(0, len(launches), IN_A_FILE):
        cases = launches[start : start + IN_A_FILE]
        kernels = [
            f"@triton.jit\ndef k{i}(a0, a1):\n    pid = tl.program_id(0)\n\n\ndef go{i}():\n{body}\n\n\n".replace(
                "KERNEL", f"k{i}"
            )
            for i, (body, _) in enumerate(cases)
        ]
        file = tmp_path / "launches.py"
        file.write_text(HEAD + "".join(kernels), encoding="utf-8")
        project = Project([str(tmp_path)], [str(tmp_path), *filter(os.path.isdir, sys.path)], patient=True)
        for function in project.module(str(file)).functions:
            body, passed = cases[int(function.name[1:])]
            for signature in infer(project, function, cut(project, function)):
                for name, kind in zip(("a0", "a1"), passed, strict=True):
                    if signature.evidence[name].certain:
                        certain += 1
                        assert agrees(signature.types[name], kind), (
                            f"`{name}` is {signature.types[name]} ({signature.evidence[name].detail}), "
                            f"but {kind} in\n{body}"
                        )
    assert certain > len(launches) // 2
