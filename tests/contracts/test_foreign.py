"""Code for a back end that the installed Triton does not have: what importing its file takes shows that, and nothing
else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.process import Agent

KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


@triton.jit
def wrong():
    tl.arange(0, 96)


def launch(x):
    fill[(1,)](x, BLOCK=100)
"""
CANN = "from triton.language.extra.cann.extension import extract_slice\n"
ERRORS = {("config-compile-error", "error"), ("compile-error", "error")}
EXCUSED = {("not-analyzed", "information")}
FILL = KERNEL.partition("@triton.jit\ndef wrong")[0]
LAUNCH = "from .kernels import fill\n\n\ndef launch(x):\n    fill[(1,)](x, BLOCK=100)\n"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"own": CANN + KERNEL}, EXCUSED),
        ({"own": "import triton.backends.spyre.driver\n" + KERNEL}, EXCUSED),
        ({"own": "import triton.language.extra.tlx as tlx\n" + KERNEL}, EXCUSED),
        ({"own": "from triton.language.extra import tlx\n" + KERNEL}, EXCUSED),
        ({"own": "from triton.language.extra import cuda\n" + KERNEL}, ERRORS),
        ({"own": "import triton.language.extra.cuda\n" + KERNEL}, ERRORS),
        ({"own": KERNEL, "__init__": "from .beside import *", "beside": "from . import more", "more": CANN}, EXCUSED),
        ({"own": "from pack import more\n" + KERNEL, "__init__": "", "more": CANN}, EXCUSED),
        ({"own": KERNEL, "__init__": "", "more": CANN}, ERRORS),
        ({"own": KERNEL, "__init__": "def load():\n    from . import more", "more": CANN}, ERRORS),
        ({"own": f"try:\n    {CANN}except ImportError:\n    pass\n{KERNEL}"}, ERRORS),
        ({"own": f"import os\nif os.environ.get('NPU'):\n    {CANN}{KERNEL}"}, ERRORS),
        ({"own": "from triton.language.extra import libdevice\n" + KERNEL}, ERRORS),
        ({"own": "from triton.language.extra.cuda import libdevice\n" + KERNEL}, ERRORS),
        ({"own": "import torch_npu_of_nobody\n" + KERNEL}, ERRORS),
    ],
)
def test_whose_compiler_it_is_for(tmp_path: Path, files: dict[str, str], expected: set[tuple[str, str]]) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    with Agent(tmp_path, patient=True) as agent:
        reports = agent.analyze(folder / "own.py").reports
    found = [f for report in reports.values() for f in report["findings"]]
    assert {(f["code"], f["severity"]) for f in found if f["code"] != "mutated-parameter"} == expected, found


@pytest.mark.parametrize(("head", "severity"), [(CANN, "information"), ("", "error")])
def test_a_launch_that_another_compiler_is_to_see(tmp_path: Path, head: str, severity: str) -> None:
    folder = tmp_path / "pack"
    folder.mkdir()
    for name, text in {"__init__": "", "kernels": FILL, "launches": head + LAUNCH}.items():
        (folder / f"{name}.py").write_text(text)
    with Agent(tmp_path, patient=True) as agent:
        notifications = agent.analyze(folder / "launches.py").notifications
    about = [f for n in notifications if n["method"] == "about" for f in n["params"]["findings"]]
    assert [(f["code"], f["severity"]) for f in about] == [("config-compile-error", severity)]
    assert ("triton.language.extra.cann.extension" in about[0]["message"]) == bool(head)
