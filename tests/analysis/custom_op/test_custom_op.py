"""What custom ops look like (cases.md), and that they work: they compute what the bare kernel does, and pass torch's
own check (``torch.library.opcheck``)."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from custom_op import many
from kernel_analysis.agent.on_demand import BadRequest, custom_op
from kernel_analysis.kernels.project import Project
from kernel_analysis.lowering import Compiler

PAGE = Path(__file__).with_name("cases.md")
LIGER = many.ROOT / ".cache" / "liger-kernel-0.8.5"
# Kernels whose ops can be checked without a GPU; what keeps the others from it is in the table of many.py.
CHECKED = {
    "attention_kernel", "histogram_kernel", "layer_norm_kernel", "matmul_kernel", "scale_kernel", "softmax_kernel",
    "add_kernel",
}  # fmt: skip
WANTED_OF_LIGER = ("rope", "swiglu", "relu_squared", "jsd")
NEEDS_LIGER = pytest.mark.skipif(not LIGER.exists(), reason="liger-kernel is not here: make demo gets it")
CHECKED_LIGER = {"_triton_rope", "_swiglu_forward_kernel", "_relu_squared_backward_kernel", "_jsd_kernel"}


def _cases() -> list[tuple[str, str, str]]:
    """Title, file, and what is expected."""
    parts = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    out: list[tuple[str, str, str]] = []
    for part in parts:
        source, expected = re.findall(r"^```\w+\n(.*?)^```$", part, flags=re.MULTILINE | re.DOTALL)
        out.append((part.split("\n", 1)[0], source, expected))
    return out


@pytest.mark.parametrize(("title", "source", "expected"), _cases(), ids=[title for title, _, _ in _cases()])
def test_text(tmp_path: Path, title: str, source: str, expected: str) -> None:
    assert written(tmp_path, source).strip("\n") == expected.strip("\n")


def written(folder: Path, source: str) -> str:
    """What is inserted into the file, or why nothing is."""
    file = folder / "kernels.py"
    file.write_text(source, encoding="utf-8")
    project = Project([str(folder)], [str(folder)], "cuda:90", patient=True)
    function = next(f for f in project.module(str(file)).functions)
    try:
        made = custom_op(project, Compiler("cuda:90"), str(file), function.qualname)
    except BadRequest as refused:
        return str(refused)
    return "\n\n\n".join(one.text.strip("\n") for one in made.insertions)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[many.Made]]:
    """The ops of the page, of the examples and of other people's kernels, checked by one worker: what torch checks with
    it imports once."""
    folder = tmp_path_factory.mktemp("cases")
    files: list[tuple[Path, Path]] = []
    for number, (_, source, _) in enumerate(_cases()):
        file = folder / f"case{number}.py"
        file.write_text(source, encoding="utf-8")
        files.append((file, folder))
    liger = [(file, root) for file, root in many.liger(LIGER) if file.stem in WANTED_OF_LIGER] if LIGER.exists() else []
    made = {"cases": many.make(files), "examples": many.make(many.examples()), "liger": many.make(liger)}
    many.check([one for ops in made.values() for one in ops], tmp_path_factory.mktemp("ops"))
    return made


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="custom ops are torch's")
@pytest.mark.slow("each is written, run on Triton's interpreter and checked by torch")
@pytest.mark.parametrize("whose", ["cases", "examples", pytest.param("liger", marks=NEEDS_LIGER)])
def test_they_work(whose: str, checked: dict[str, list[many.Made]]) -> None:
    ops = checked[whose]
    assert [(one.kernel, one.failed) for one in ops if one.failed] == []
    done = {one.kernel for one in ops if one.outcome == "checked"}
    if whose == "cases":
        assert [(one.kernel, one.skipped) for one in ops if one.skipped and one.kernel != "double"] == []
        assert {one.kernel for one in ops if one.refused} == {"scatter", "look"}
    elif whose == "examples":
        assert done == CHECKED
    else:
        assert done >= CHECKED_LIGER
