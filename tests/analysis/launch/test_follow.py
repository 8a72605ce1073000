"""The code around a launch, followed by its syntax: what is passed, and over which grid."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from kernel_analysis.kernels.project import Project
from kernel_analysis.launch.follow import Arrived, Follower

HEAD = (
    "import torch\nimport triton\nimport triton.language as tl\n\n\n"
    "@triton.jit\ndef k(x, y, n, B: tl.constexpr):\n    pass\n\n\n"
)


def _arrive(folder: Path, text: str, **others: str) -> Arrived | None:
    for name, content in others.items():
        (folder / f"{name}.py").write_text(content)
    file = folder / "host.py"
    file.write_text(HEAD + text)
    project = Project([str(folder)], [], "cuda:90", patient=True)
    (function,) = project.module(str(file)).functions
    follower = Follower(project, lambda name, rank: (32,) * rank, lambda name, _: f"<{name}>", 7)
    return next(filter(None, map(follower.arrive, project.launches_of(function))), None)


def _passed(folder: Path, text: str, **others: str) -> list[Any]:
    arrived = _arrive(folder, text, **others)
    assert arrived is not None
    return arrived.positional[2:]


def test_shapes_helpers_and_a_grid_that_is_a_function(tmp_path: Path) -> None:
    arrived = _arrive(
        tmp_path,
        "def block(n, most=64):\n    return min(most, triton.next_power_of_2(n))\n\n\n"
        "def host(x):\n"
        "    m, n = x.shape\n    y = torch.empty_like(x)\n"
        "    grid = lambda meta: (triton.cdiv(n, meta['B']), m)\n"
        "    k[grid](x, y, n - 1, B=block(n - 1, most=16))\n",
    )
    assert arrived is not None
    assert [value.shape for value in arrived.positional[:2]] == [(32, 32), (32, 32)]
    assert (arrived.positional[2], arrived.keywords) == (31, {"B": 16})
    assert arrived.grid({"B": 16}) == (2, 32)
    assert arrived.grid({}) is None


def test_names_of_other_files(tmp_path: Path) -> None:
    text = "from sizes import BLOCK, rounded\n\n\ndef host(x, y):\n    k[(1,)](x, y, rounded(5), BLOCK)\n"
    sizes = "BLOCK = 128 if True else 1\nSTEP = 8\n\n\ndef rounded(n):\n    return -(-n // STEP) * STEP\n"
    assert _passed(tmp_path, text, sizes=sizes) == [8, 128]


def test_the_way_that_leads_to_the_launch_is_taken(tmp_path: Path) -> None:
    text = (
        "def host(x, y, fast):\n"
        "    if x.shape[0] != 32:\n        n = 1\n    else:\n        n = 2\n"
        "    if not x.is_cuda:\n        return None\n"
        "    if fast is None:\n        for B in (4, 8):\n            k[(n,)](x, y, n, B)\n    else:\n        return n\n"
    )
    assert _passed(tmp_path, text) == [2, 4]


def test_a_launch_in_an_inner_function_sees_what_the_outer_one_binds(tmp_path: Path) -> None:
    text = "def outer(x):\n    n = x.numel()\n\n    def inner(y, B):\n        k[(n,)](x, y, n, B)\n\n    return inner\n"
    assert _passed(tmp_path, text) == [32, "<B>"]


def test_a_launch_behind_a_return_is_not_reached(tmp_path: Path) -> None:
    assert _arrive(tmp_path, "def host(x, y):\n    return None\n    k[(1,)](x, y, 1, 1)\n") is None


ENDLESS = "def f(n):\n    return f(n - 1) + f(n - 2)\n\n\n"


@pytest.mark.parametrize("host", ["    n = f(9)\n    k[(1,)](x, y, n, 1)\n", "    k[(1,)](x, y, f(9), 1)\n"])
def test_code_without_end_is_given_up_and_another_launch_followed(tmp_path: Path, host: str) -> None:
    text = f"{ENDLESS}def host(x, y):\n{host}"
    assert _arrive(tmp_path, text) is None
    assert _passed(tmp_path, f"{text}\n\ndef other(x, y):\n    k[(1,)](x, y, 5, 6)\n") == [5, 6]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sizes.BLOCK", 256),
        ("BLOCK", 256),
        ("TABLE['W']", 4),
        ("other.floor(2.5)", 99),
        ("math.floor(2.5)", 2),
        ("~5", -6),
        ("round(2.5)", 2),
        ("-math.inf", float("-inf")),
        ("{2: 3}[2]", 3),
        ("len(range(3))", 3),
    ],
)
def test_what_a_module_says_is_what_configs_are_told(tmp_path: Path, expression: str, value: object) -> None:
    text = (
        "import math\nimport other\nimport sizes\nfrom sizes import BLOCK\nTABLE = {}\nTABLE['W'] = 4\n\n\n"
        f"def host(x, y):\n    k[(1,)](x, y, 1, {expression})\n"
    )
    others = {"sizes": "BLOCK = 1\nBLOCK = 256\n", "other": "def floor(x):\n    return 99\n"}
    assert _passed(tmp_path, text, **others) == [1, value]


@pytest.mark.parametrize("expression", ["9**9**9", "range(10**9)", "[0] * 10**9", "'a' * 10**9", "1 << 10**9"])
def test_nothing_that_is_written_takes_long(tmp_path: Path, expression: str) -> None:
    start = time.process_time()
    text = f"X = {expression}\n\n\ndef host(x, y):\n    k[(1,)](x, y, X, {expression})\n"
    assert len(_passed(tmp_path, text)) == 2
    assert time.process_time() - start < 2
