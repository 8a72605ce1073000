"""Launches and torch ops of kernels that other files define, and functions between them in a third."""

from __future__ import annotations

import json
from pathlib import Path

from agent.process import Agent
from contracts.test_sets import outdated

KERNELS = """\
import triton
import triton.language as tl


@triton.jit
def add(a, b, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    tl.store(out + offs, tl.load(a + offs, mask=mask) + tl.load(b + offs, mask=mask), mask=mask)


@triton.jit
def shift(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs + 1, mask=offs < n), mask=offs < n)


@triton.jit
def only(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)
"""
BETWEEN = """\
import kernels


def run_add(a, b, out):
    kernels.add[(4,)](a, b, out, a.numel(), BLOCK=64)


def maybe_add(a, b, out):
    if a.numel():
        kernels.add[(4,)](a, b, out, a.numel(), BLOCK=64)
"""
LAUNCHES = """\
import torch
from kernels import add, only, shift


def launch(x, y):
    out = torch.empty_like(x)
    add[(8,)](x, y, out, x.numel(), BLOCK=96)
    add[(8,)](x, y, out, x.numel(), BLOCK=64, num_warps=3)
    add[(8,)](x, y, x, x.numel(), BLOCK=64)
    shift[(8,)](x, x, x.numel(), BLOCK=64)
    shift[(8,)](x, out, x.numel(), BLOCK=64)
    only[(1,)](x, BLOCK=100)
    return out
"""
OPS = """\
import between
import torch
from between import maybe_add, run_add
from torch.library import custom_op


@custom_op("files::missing", mutates_args=())
def missing(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    run_add(x, y, z)


@custom_op("files::right", mutates_args=("z",))
def right(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    between.run_add(x, y, out=z)


@custom_op("files::extra", mutates_args=("x", "z"))
def extra(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    between.run_add(x, y, z.view(-1))


@custom_op("files::kept", mutates_args=("x",))
def kept(x: torch.Tensor, where: str) -> None:
    print(where, x.sum())


@custom_op("files::depends", mutates_args=())
def depends(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    maybe_add(x, y, z)
"""
BY_SCHEMA = """\
import between
import torch
from between import run_add
from torch.library import Library

lib = Library("files", "FRAGMENT")
lib.define("hidden(Tensor a, Tensor b, Tensor out) -> ()")
lib.define("said(Tensor a, Tensor b, Tensor(a!) out) -> ()")
lib.define("perhaps(Tensor a, Tensor b, Tensor out) -> ()")
lib.impl("hidden", run_add, "CUDA")
lib.impl("said", between.run_add, "CUDA")
torch.library.impl("files::perhaps", "CUDA", between.maybe_add)
"""
COMPILED = """\
import between
import torch
from between import run_add, run_hooked
from torch.library import triton_op


@triton_op("files::seen", mutates_args=("z",))
def seen(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    run_add(x, y, z)


@triton_op("files::wrapped", mutates_args=("z",))
def wrapped(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> None:
    between.run_wrapped(x, y, z)


@torch.compile
def decorated(x, y):
    run_hooked(x, y)
    run_add(x, x, y)


handed = torch.compile(between.run_hooked)
fine = torch.compile(run_add)


def plain(x, y):
    run_hooked(x, y)


def given(run_hooked):
    @torch.compile
    def inside(x, y):
        run_hooked(x, y)

    return inside


class Model:
    run_add = None

    @torch.compile
    def forward(self, x, y):
        run_hooked(x, y)


class Layer(torch.nn.Module):
    def forward(self, x, y):
        run_hooked(x, y)


class Other(Layer):
    def forward(self, x, y):
        run_hooked(x, y)


def built():
    layer, other = Layer(), Other()
    model = Layer()
    model.compile(fullgraph=True)
    return layer, other.compile(), model
"""
HOOKED = """\


@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=[], pre_hook=lambda *a, **k: None)
@triton.jit
def hooked(x, out, BLOCK: tl.constexpr):
    offs = tl.arange(0, BLOCK)
    tl.store(out + offs, tl.load(x + offs))
"""
RUN_HOOKED = """\


def run_hooked(x, y):
    further(x, y)


def further(x, y):
    kernels.hooked[(1,)](x, y)


def run_wrapped(a, b, out):
    torch.library.wrap_triton(kernels.add)[(4,)](a, b, out, a.numel(), BLOCK=64)
"""
ABOUT_LAUNCHES = [
    ("config-compile-error", 7),
    ("config-compile-error", 8),
    ("aliased-arguments", 10),
    ("config-compile-error", 12),
]


def project(directory: Path) -> None:
    for name, text in (("kernels", KERNELS), ("between", BETWEEN), ("launches", LAUNCHES), ("ops", OPS)):
        (directory / f"{name}.py").write_text(text)


def told(agent: Agent, file: Path) -> list[tuple[str, int]]:
    notes = agent.analyze(file).notifications
    about = [f for n in notes if n["method"] == "about" for f in n["params"]["findings"]]
    return sorted(((f["code"], f["span"]["line"]) for f in about), key=lambda one: one[1])


def test_launches_of_kernels_of_another_file(tmp_path: Path) -> None:
    project(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        assert told(agent, tmp_path / "launches.py") == ABOUT_LAUNCHES
        assert told(agent, tmp_path / "kernels.py") == []


def test_ops_whose_functions_and_kernels_are_in_other_files(tmp_path: Path) -> None:
    project(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        assert told(agent, tmp_path / "ops.py") == [("mutates-args", 7), ("mutates-args", 17)]


def test_functions_of_other_files_that_are_registered_for_a_schema(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "by_schema.py").write_text(BY_SCHEMA)
    with Agent(tmp_path, patient=True) as agent:
        assert told(agent, tmp_path / "by_schema.py") == [("mutates-args", 7)]


def test_what_torch_compiles_is_followed_into_other_files(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS + HOOKED)
    (tmp_path / "between.py").write_text("import torch\n" + BETWEEN + RUN_HOOKED)
    (tmp_path / "compiled.py").write_text(COMPILED)
    with Agent(tmp_path, patient=True) as agent:
        findings = agent.analyze(tmp_path / "compiled.py").findings
    said = [(f["code"], f["span"]["line"]) for f in findings if f["code"] in ("torch-op", "torch-compile")]
    assert sorted(said) == [
        ("torch-compile", 19),
        ("torch-compile", 23),
        ("torch-compile", 44),
        ("torch-compile", 49),
        ("torch-op", 9),
    ]
    (of_op,) = [f for f in findings if f["code"] == "torch-op"]
    assert Path(of_op["related"][0]["span"]["file"]).name == "between.py"


def test_an_error_of_a_launch_elsewhere_is_not_the_kernels(tmp_path: Path) -> None:
    project(tmp_path)
    with Agent(tmp_path, patient=True) as agent:
        reports = agent.analyze(tmp_path / "kernels.py").reports
    assert reports["only"]["status"] == "analyzed", json.dumps(reports["only"]["problems"])
    assert not [f for r in reports.values() for f in r["findings"] if f["severity"] == "error"]


def test_somebody_who_types_waits_for_none_of_it(tmp_path: Path) -> None:
    """It is compiled while nobody waits, and said in the next analysis."""
    project(tmp_path)
    with Agent(tmp_path) as agent:
        file = tmp_path / "launches.py"
        assert ("config-compile-error", 7) not in told(agent, file)
        found: set[tuple[str, int]] = set()
        while not set(ABOUT_LAUNCHES) <= found:
            # What its launches say of a kernel is found out in idle times, too, and what follows from that after it.
            if str(file) in outdated(agent):
                found = set(told(agent, file))


def test_what_an_op_hands_back_is_called_what_it_is(tmp_path: Path) -> None:
    given = "def given(t):\n    return t\n\n\ndef flat(t):\n    return t.view(-1)\n"
    (tmp_path / "helpers.py").write_text(given)
    ops = "import torch\nfrom helpers import flat, given\nfrom torch.library import custom_op\n\n\n"
    for name, result in (("a", "given(x)"), ("b", "flat(x)"), ("c", "given(given(x))"), ("d", "given(x.t())")):
        ops += f'@custom_op("w::{name}", mutates_args=())\n'
        ops += f"def {name}(x: torch.Tensor) -> torch.Tensor:\n    return {result}\n"
    (tmp_path / "ops.py").write_text(ops)
    with Agent(tmp_path, patient=True) as agent:
        found = agent.analyze(tmp_path / "ops.py").findings
    said = [("itself" in f["message"], "a view of" in f["message"]) for f in found if f["code"] == "torch-op"]
    assert said == [(True, False), (False, True), (True, False), (False, True)]
