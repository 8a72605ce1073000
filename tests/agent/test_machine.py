"""What is answered in the place of the machine: each row of the table says whether it is certain, and a kernel that
asks is judged by that."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent.process import PYTHON, Agent, Answer
from kernel_analysis.host.evaluate.machine.machine_answers import ROWS, Fixed, TextVaries, Varies, doubt

HEAD = """\
import importlib.metadata
import importlib.util
import inspect
import math
import os
import platform
import sys
import typing

import packaging.version
import torch
import triton
import triton.language as tl
import triton.language.target_info
from out_of_sight import current, is_cuda
"""
KERNEL = """
ASKED_{0} = tl.constexpr({1})


@triton.jit
def kernel_{0}(a_ptr, b_ptr):
    if ASKED_{0}:
        tl.store(a_ptr, 1.0)
    else:
        tl.store(b_ptr, 1.0)
"""

CERTAIN = {
    "torch.version.<another>": [
        "torch.version.hip is None", "not torch.version.hip", "torch.version.hip != '6.4'", "torch.version.xpu is None",
    ],
    "torch.__version__": [
        "torch.__version__ is not None", "not not torch.__version__", "bool(torch.__version__)",
        "(torch.__version__ or None) is not None", "torch.__version__ != None",
    ],
    "torch.<other device>.is_available": ["not torch.xpu.is_available()", "not torch.backends.mps.is_available()"],
    "torch.<other device>": ["not hasattr(torch, 'npu')"],
    "torch.cuda.get_device_capability": [
        "torch.cuda.get_device_capability() >= (9, 0)", "torch.cuda.get_device_capability(0)[0] == 9",
        "torch.cuda.get_device_capability('cuda') == (9, 0)",
    ],
    "get_current_target": [
        "triton.runtime.driver.active.get_current_target().backend == 'cuda'",
        "triton.runtime.driver.active.get_current_target().arch >= 90",
    ],
    "target_info": ["tl.target_info.is_cuda()", "tl.target_info.cuda_capability_geq(9)"],
    "triton.__version__": ["triton.__version__ >= '3'"],
    "importlib.metadata.version('triton')": ["importlib.metadata.version('triton') >= '3'"],
    "importlib.util.find_spec('triton')": ["importlib.util.find_spec('triton.language') is not None"],
    "hasattr(triton)": ["hasattr(tl, 'load')", "not hasattr(tl, 'no_such_name')"],
    "inspect.signature(triton)": ["'mask' in inspect.signature(tl.load).parameters"],
    "<constant of a library>": ["not typing.TYPE_CHECKING", "math.pi > 3"],
}  # fmt: skip

GUESSED = {
    "torch.version.<the target>": [
        "torch.version.cuda is not None", "not not torch.version.cuda", "bool(torch.version.cuda)",
        "torch.version.cuda >= '12.4'", "torch.version.cuda.startswith('12')", "int(torch.version.cuda[:2]) == 12",
        "torch.version.cuda in ('12.8', '12.9')", "float(torch.version.cuda or '0') > 12.5",
        "len(torch.version.cuda) > 3",
        "tuple(int(x) for x in torch.version.cuda.split('.')) >= (12, 4)", "f'{torch.version.cuda}' == '12.8'",
        "torch.version.cuda is not None and torch.version.cuda > '12'", "{'12.8': True}.get(torch.version.cuda)",
        "packaging.version.parse(torch.version.cuda) >= packaging.version.parse('12.4')",
        "{'12.8': True, '11.8': False}[torch.version.cuda]", "(lambda v: v > '12')(torch.version.cuda)",
        "[torch.version.cuda][0] + '.1' == '12.8.1'",
    ],
    "torch.cuda.is_available": [
        "torch.cuda.is_available()",
        "(torch.cuda.get_device_capability() if torch.cuda.is_available() else (0, 0)) >= (9, 0)",
    ],
    "torch.__version__": ["torch.__version__ >= '2'", "importlib.metadata.version('torch') >= '2'"],
    "torch.cuda.get_device_capability(<another>)": ["torch.cuda.get_device_capability(1)[0] == 9"],
    "torch.cuda.device_count": ["torch.cuda.device_count() == 1"],
    "is_<kind>": ["is_cuda()", "not current.is_rocm()"],
    "importlib.metadata.version": ["importlib.metadata.version('torch') >= '2'"],
    "importlib.util.find_spec": ["importlib.util.find_spec('torch') is not None"],
    "os.environ.get": ["os.environ.get('FAST', '1') == '1'"],
    "os.getenv": ["os.getenv('FAST') is None"],
    "os.environ.setdefault": ["os.environ.setdefault('FAST', '1') == '1'"],
    "sys.platform": ["sys.platform == 'linux'", "not sys.platform.startswith('win')"],
    "os.name": ["os.name != 'nt'"],
    "platform.system": ["platform.system() == 'Linux'"],
    "sys.version_info": [
        "sys.version_info >= (3, 8)", "sys.version_info[:2] > (3, 8)", "sys.version_info.major == 3",
        "sys.version_info[0] == 3",
    ],
    "__name__": ["__name__ != '__main__'"],
    "__file__": ["__file__.endswith('.py')"],
}  # fmt: skip

# Nothing is answered to these: what is compiled is a guess, and proves nothing.
NOT_ANSWERED = [
    "not torch.int32.is_complex", "not torch.int32.is_floating_point", "triton.knobs.runtime.interpret is None",
    "tl.core.TRITON_MAX_TENSOR_NUMEL == 1048576", "torch.cuda.get_device_properties(0).multi_processor_count > 1",
    "torch.cuda.get_device_name() == ''", "torch.backends.cudnn.enabled is True", "torch.cuda.is_bf16_supported()",
    "triton.runtime.driver.active.get_current_device() == 0",
]  # fmt: skip


# About torch as it is installed, beside a Triton that may have none.
INSTALLED = ("torch.__version__", "version('torch')", "find_spec('torch')")


@pytest.fixture(scope="module")
def torch() -> bool:
    code = "import importlib.util; print(importlib.util.find_spec('torch') is not None)"
    return subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "True"


def _questions(rows: dict[str, list[str]], torch: bool) -> list[str]:
    questions = [question for row in rows.values() for question in row]
    return [q for q in questions if torch or not any(asked in q for asked in INSTALLED)]


def _asked(agent: Agent, file: Path, questions: list[str]) -> Answer:
    return agent.show(file, HEAD + "".join(KERNEL.format(i, question) for i, question in enumerate(questions)))


def test_every_row_is_asked() -> None:
    assert set(CERTAIN) == {name for name, row in ROWS.items() if isinstance(row, (Fixed, TextVaries))}
    assert set(GUESSED) == {name for name, row in ROWS.items() if isinstance(row, (Varies, TextVaries))}


def test_what_has_no_row_varies() -> None:
    assert doubt("torch.cuda.something", "`something`") == "it depends on `something`"


def test_certain_answers_stay_certain(agent: Agent, root: Path, torch: bool) -> None:
    questions = _questions(CERTAIN, torch)
    reports = _asked(agent, root / "certain.py", questions).reports
    for index, question in enumerate(questions):
        report = reports[f"kernel_{index}"]
        written = [parameter["written"] for parameter in report["parameters"]]
        assert (report["status"], written) == ("analyzed", ["yes", "no"]), question


def test_guesses_prove_nothing(agent: Agent, root: Path, torch: bool) -> None:
    questions = _questions(GUESSED, torch)
    reports = _asked(agent, root / "guessed.py", questions).reports
    for index, question in enumerate(questions):
        a, b = reports[f"kernel_{index}"]["parameters"]
        assert (a["written"], b["written"]) == ("yes", "unknown"), question
        assert "it depends on" in b["reason"], question


def test_the_text_of_the_other_kind_of_gpu(root: Path) -> None:
    with Agent(root, target="hip:gfx942") as agent:
        answer = _asked(agent, root / "hip.py", ["torch.version.hip >= '6'", "torch.version.hip is not None"])
    written = [[p["written"] for p in answer.reports[f"kernel_{i}"]["parameters"]] for i in range(2)]
    assert written == [["yes", "unknown"]] * 2


def test_what_is_not_known_is_not_answered(agent: Agent, root: Path) -> None:
    reports = _asked(agent, root / "not_answered.py", NOT_ANSWERED).reports
    for index, question in enumerate(NOT_ANSWERED):
        report = reports[f"kernel_{index}"]
        assert report["status"] in ("failed", "partial"), question
        assert "no" not in [p["written"] for p in report["parameters"]], question
