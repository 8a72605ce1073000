"""The comment that pins a launch: its grammar, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernel_analysis.kernels import run_comment
from kernel_analysis.kernels.project import Project

KERNEL = "@triton.jit\ndef k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n    pass\n"


def _read(tmp_path: Path, comments: str) -> tuple[list[run_comment.Pinned], list[str]]:
    file = tmp_path / "kernels.py"
    file.write_text(f"import triton\nimport triton.language as tl\n\n\n{comments}\n{KERNEL}")
    project = Project([str(tmp_path)], [], "cuda:90")
    module = project.module(str(file))
    launches, mistakes = run_comment.read(module, module.functions[0])
    return launches, [f"{m.span.line}:{m.span.column}: {m.message}" for m in mistakes]


def test_values_follow_from_each_other_in_any_order(tmp_path: Path) -> None:
    text = "# triton-run: grid = (cdiv(n, BLOCK), 2), x_ptr = randn(n + 1, fp16) n=1_000, BLOCK = next_power_of_2(100)"
    (launch,), mistakes = _read(tmp_path, text)
    assert mistakes == []
    assert launch.grid({}) == (8, 2, 1)
    values = launch.values({})
    assert values["n"] == 1000
    assert values["BLOCK"] == 128
    assert values["x_ptr"] == run_comment.MadeTensor("randn", (1001,), "fp16")


def test_makers(tmp_path: Path) -> None:
    (launch,), mistakes = _read(
        tmp_path, "# triton-run: x_ptr = randint(0, n, 4, n // 2, i64), out_ptr = full(-1.5, (3, 4), bf16), n = 10"
    )
    assert mistakes == []
    values = launch.values({})
    assert values["x_ptr"] == run_comment.MadeTensor("randint", (4, 5), "i64", 0, 9)
    assert values["out_ptr"] == run_comment.MadeTensor("full", (3, 4), "bf16", -1.5, 0)


def test_several_launches_and_lines_that_belong_together(tmp_path: Path) -> None:
    text = "# triton-run: n = 1\n# triton-run[large]: n = 2,\n# triton-run[large]: BLOCK = 64"
    launches, mistakes = _read(tmp_path, text)
    assert mistakes == []
    assert [(launch.label, launch.values({})) for launch in launches] == [
        ("", {"n": 1}),
        ("large", {"n": 2, "BLOCK": 64}),
    ]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("y_ptr = 1", "5:15: `k` has no parameter `y_ptr`"),
        ("n = 1, n = 2", "5:22: `n` is given twice"),
        ("n = [1", "5:15: `[1` can't be read as a value"),
        ("n = open('f')", "5:15: there is no function `open` here; there are"),
        ("n = n.__class__", "5:15: `n.__class__` is more than can be said here"),
        ("n = 2 ** 9999", "5:15: of operators there are + - * / // %"),
        ("n = m", "5:15: `m` is neither a parameter of the kernel nor a type"),
        ("BLOCK = randn(4, fp32)", "5:15: `BLOCK` can't be a tensor"),
        ("something", "5:14: write `name = value`, with commas between"),
    ],
)
def test_mistakes_have_a_place(tmp_path: Path, items: str, message: str) -> None:
    _, mistakes = _read(tmp_path, f"# triton-run: {items}")
    assert len(mistakes) == 1
    assert mistakes[0].startswith(message)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ("n = BLOCK, BLOCK = n", "`n` follows from itself"),
        ("n = 1 // 0", "has no value"),
        ("x_ptr = randint(1, 2)", "write `randint(low, high, n, i32)`"),
    ],
)
def test_mistakes_that_values_show(tmp_path: Path, items: str, message: str) -> None:
    (launch,), mistakes = _read(tmp_path, f"# triton-run: {items}")
    assert mistakes == []
    with pytest.raises(run_comment.Mistake) as caught:
        launch.values({})
    assert message in caught.value.message


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    text = run_comment.written((7, 1, 1), [("n", "1000"), ("x_ptr", "randn(80, 80, fp32)")], "it")
    assert text == "# triton-run[it]: grid = (7,), n = 1000, x_ptr = randn(80, 80, fp32)"
    (launch,), mistakes = _read(tmp_path, text)
    assert mistakes == []
    assert launch.grid({}) == (7, 1, 1)
