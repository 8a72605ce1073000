"""What a launch passes that its file has from another: likely, and no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_analysis.kernels.cut import cut
from kernel_analysis.kernels.project import Project
from kernel_analysis.signature.infer import infer

SOURCE = """\
import torch
import triton
import triton.language as tl
{imports}

@triton.jit
def kernel(x_ptr, EPS: tl.constexpr):
    tl.store(x_ptr, tl.load(x_ptr) + EPS)

def launch(x: torch.Tensor):
    kernel[(1,)](x, EPS={passed})
"""


@pytest.mark.parametrize(
    ("imports", "passed", "certain"),
    [
        ("from settings import TINY", "TINY", False),
        ("from settings import TINY as EPS", "EPS", False),
        ("from settings import AGAIN", "AGAIN", False),
        ("TINY = 1e-12", "TINY", True),
    ],
)
def test_the_value_of_another_file(tmp_path: Path, imports: str, passed: str, certain: bool) -> None:
    (tmp_path / "settings.py").write_text("TINY = 1e-12\nAGAIN = TINY\n")
    (tmp_path / "kernels.py").write_text(SOURCE.format(imports=imports, passed=passed))
    project = Project([str(tmp_path)], [], patient=True)
    (function,) = project.functions(project.module(str(tmp_path / "kernels.py")))
    first = infer(project, function, cut(project, function))[0]
    assert first.constants["EPS"] == 1e-12
    assert first.evidence["EPS"].kind == "launch"
    assert first.evidence["EPS"].certain is certain
