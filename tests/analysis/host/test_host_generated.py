"""Small host modules at random: what is called certain is what real Python has, at every moment after the import.

200 of those that change what they hold, and 200 of those that are put together from all kinds of
constructs, or as many as ``TRITON_LS_HOST_MODULES`` says.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import host_composed
import host_modules
import pytest
from host_modules import Files
from host_python import Raises, answers
from host_told import UNTOLD, same, told

from kernel_analysis.kernels.project import Project

MODULES = int(os.environ.get("TRITON_LS_HOST_MODULES", "200"))
FIRST = int(os.environ.get("TRITON_LS_HOST_SEED", "0"))
CERTAIN = 0.3
"""The least share of answers that are certain: the modules change most of what they have."""

pytestmark = pytest.mark.generated


@pytest.mark.slow("two hundred random modules, each run by Python, too")
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("files", [host_modules.files, host_composed.files], ids=["changed", "composed"])
def test_what_is_certain_is_so_in_python(files: Callable[[int], Files], tmp_path: Path) -> None:
    asked = certain = guessed = 0
    wrong: list[str] = []
    for seed in range(FIRST, FIRST + MODULES):
        made = files(seed)
        texts = {"config": made.config, "main": made.main, "plugin": made.plugin}
        try:
            real = answers(texts, "main", made.questions)
        except Raises:
            continue
        folder = tmp_path / str(seed)
        folder.mkdir()
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text + "\n", encoding="utf-8")
        project = Project([str(folder)], [], patient=True)
        for question, (value, why), seen in zip(
            made.questions, told(project, folder / "main.py", made.questions), real, strict=True
        ):
            asked += 1
            if value is UNTOLD or why or all(kind == "raises" for kind, _ in seen):
                guessed += value is not UNTOLD
                continue
            certain += 1
            if not all(kind == "value" and same(value, other) for kind, other in seen):
                wrong.append(f"{seed}: `{question}` is called certain to be {value!r}, and Python has {seen}")
    print(f"{asked} asked, {certain} certain, {guessed} with a reason why it may be another, {len(wrong)} wrong")
    assert not wrong, "\n".join(wrong[:5])
    assert certain > asked * CERTAIN
